//! A model as source code: an array of bytes, aligned as a model must be.

use pual_infer::ALIGNMENT;

/// Rust: a `static` of `pual_infer::Aligned`, with the comment above it.
#[must_use]
pub fn rust(name: &str, bytes: &[u8], comment: &str) -> String {
    let length = bytes.len();
    let mut text = String::new();
    for line in comment.lines() {
        text += &format!("/// {line}\n");
    }
    text += "#[rustfmt::skip]\n";
    text += &format!("pub static {name}: pual_infer::Aligned<[u8; {length}]> = pual_infer::Aligned([\n");
    text += &rows(bytes);
    text + "]);\n"
}

/// C since 1989 (before C11, with the attribute of GCC and Clang) and C++ since 2011: the array and its length.
#[must_use]
pub fn c(name: &str, bytes: &[u8], comment: &str) -> String {
    let length = bytes.len();
    let align = format!("{}_ALIGN", name.to_uppercase());
    let mut text = String::new();
    for line in comment.lines() {
        text += &format!("/* {line} */\n");
    }
    text += &format!(
        "#if defined(__cplusplus)
#define {align} alignas({ALIGNMENT})
extern \"C\" {{
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define {align} _Alignas({ALIGNMENT})
#else
#define {align} __attribute__((aligned({ALIGNMENT})))
#endif

extern const unsigned char {name}[{length}];
extern const unsigned long {name}_length;

{align} const unsigned char {name}[{length}] = {{
{rows}}};
const unsigned long {name}_length = {length};

#ifdef __cplusplus
}}
#endif
",
        rows = rows(bytes)
    );
    text
}

fn rows(bytes: &[u8]) -> String {
    let row = |row: &[u8]| {
        let cells: Vec<_> = row.iter().map(|byte| format!("0x{byte:02x},")).collect();
        format!("    {}\n", cells.join(" "))
    };
    bytes.chunks(16).map(row).collect()
}
