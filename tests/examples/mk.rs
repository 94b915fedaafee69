use pual_tests::models::*;
fn main(){ for (n,d) in [(24usize,2usize),(64,4),(256,7),(700,7),(256,16)] { let m=RandomModel::new(1,Shape::Rbf,n,d); let mut v=m.bytes.to_vec(); if n==24 {std::fs::write("firmware-example/model.pual",&v).unwrap();} v.resize(65536,0xFF); std::fs::write(format!("/tmp/m{n}x{d}.bin"),&v).unwrap(); } }
