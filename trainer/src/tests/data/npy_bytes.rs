//! NPY files made by hand. The messages of the command line are tested with the same ones.

/// An NPY file as `numpy.save` writes it: the header padded so that values begin at a multiple of 64.
pub fn npy(version: u8, descr: &str, fortran: bool, shape: &str, values: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let header = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}");
    let mut bytes = [b"\x93NUMPY", &[version, 0][..]].concat();
    let fixed = if version == 1 { 10 } else { 12 };
    let length = (fixed + header.len() + 1).next_multiple_of(64) - fixed;
    let length_bytes = (length as u32).to_le_bytes();
    bytes.extend(&length_bytes[..fixed - 8]);
    bytes.extend(format!("{header:<width$}\n", width = length - 1).bytes());
    bytes.extend(values);
    bytes
}

pub fn doubles(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// Two features and a label, three rows.
pub fn small(version: u8) -> Vec<u8> {
    let values = doubles(&[0.1, 2.0, 1.0, -3.0, 4e20, 0.0, 5.0, 6.0, -1.0]);
    npy(version, "'<f8'", false, "(3, 3)", &values)
}
