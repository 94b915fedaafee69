//! `pual train --report` and `pual calibrate --report` in a browser: every figure is drawn, nothing sticks out, nothing is complained of,
//! on a phone and on a desk.
//!
//! The page is put into a frame of each width; a script around it measures and writes down what it found, and Chromium prints the
//! document it ends with. What goes to the console is printed too, and there must be none of it.

use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use pual_tests::program;

/// A phone's and a desk's, in CSS pixels.
const WIDTHS: [u32; 2] = [390, 1280];
const MOST_BYTES: usize = 1_000_000;

/// Finds Chromium, installing it where that is possible; otherwise the test fails with the command that does.
fn browser() -> PathBuf {
    let setup = Path::new(env!("CARGO_MANIFEST_DIR")).join("../firmware-example/setup.sh");
    let found = Command::new(setup).arg("browser").output().unwrap();
    let said = String::from_utf8_lossy(&found.stderr);
    assert!(found.status.success(), "{said}");
    PathBuf::from(String::from_utf8(found.stdout).unwrap().trim())
}

/// A directory of one test's own.
fn scratch(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("report-{test}"));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// `pual` with arguments separated by blanks, run in a directory.
fn pual(directory: &Path, arguments: &str) {
    let output =
        Command::new(program::pual()).current_dir(directory).args(arguments.split_whitespace()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments}: {said}");
}

/// What a browser makes of a page: the document it ends with, and what went to the console.
fn load(directory: &Path, page: &Path) -> (String, String) {
    let profile = directory.join("profile");
    let output = Command::new(browser())
        .args(["--headless=new", "--no-sandbox", "--disable-gpu"])
        .args(["--disable-dev-shm-usage", "--no-first-run", "--disable-extensions"])
        .args(["--enable-logging=stderr", "--virtual-time-budget=20000"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg("--dump-dom")
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    let _ = std::fs::remove_dir_all(profile);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let console = said.lines().filter(|line| line.contains("CONSOLE"));
    (String::from_utf8_lossy(&output.stdout).into_owned(), console.fold(String::new(), |all, line| all + line + "\n"))
}

/// What is measured in a frame. All of it is opened first, so that what unfolds is measured too.
const MEASURE: &str = r#"
function measure(frame) {
  const page = frame.contentDocument;
  page.querySelectorAll("details").forEach(d => { d.open = true; });
  const box = element => element.getBoundingClientRect();
  const drawn = svg => {
    const marks = [...svg.querySelectorAll("path, rect, circle, text")];
    return { name: svg.id, width: box(svg).width, height: box(svg).height,
      marks: marks.filter(m => box(m).width + box(m).height > 0).length,
      text: Math.min(...[...svg.querySelectorAll("text")].map(t =>
        parseFloat(getComputedStyle(t).fontSize) * box(svg).width / svg.viewBox.baseVal.width)),
      named: svg.querySelector("title")?.textContent.length > 0 && svg.querySelector("desc")?.textContent.length > 10,
      outside: [...svg.querySelectorAll("text")].filter(t =>
        box(t).left < box(svg).left - 1 || box(t).right > box(svg).right + 1).map(t => t.textContent) };
  };
  const wide = [...page.querySelectorAll("body *")].filter(e => box(e).right > frame.clientWidth + 0.5);
  return { width: frame.clientWidth, scroll: page.documentElement.scrollWidth,
    wide: wide.map(e => e.tagName + " " + (e.textContent || "").slice(0, 40)),
    figures: [...page.querySelectorAll("svg")].map(drawn),
    sections: [...page.querySelectorAll("h2")].map(h => h.textContent),
    warnings: [...page.querySelectorAll(".warnings li code")].map(w => w.textContent),
    loaded: page.defaultView.performance.getEntriesByType("resource").length };
}
addEventListener("load", () => {
  const found = [...document.querySelectorAll("iframe")].map(measure);
  const out = document.createElement("pre");
  out.id = "found";
  out.textContent = "FOUND" + JSON.stringify(found) + "END";
  document.body.replaceChildren(out);
});
"#;

/// Measurements of a page at each width.
fn measured(directory: &Path, html: &str) -> Vec<Value> {
    let mut wrapper = format!("<!doctype html><meta charset=utf-8><script>{MEASURE}</script>");
    let escaped = html.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    for width in WIDTHS {
        let style = format!("border:0;width:{width}px;height:900px");
        wrapper += &format!("<iframe style=\"{style}\" srcdoc=\"{escaped}\"></iframe>");
    }
    let path = directory.join("wrapper.html");
    std::fs::write(&path, wrapper).unwrap();
    let (document, console) = load(directory, &path);
    assert_eq!(console, "");
    let found = document.split_once("FOUND[").and_then(|(_, rest)| rest.split_once("]END"));
    let (found, _) = found.unwrap_or_else(|| panic!("nothing was measured: {document:.2000}"));
    let found = found.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let found: Value = serde_json::from_str(&format!("[{found}]")).unwrap();
    found.as_array().unwrap().clone()
}

/// The page of a data set, all of whose promises are checked; returns it with its measurements on a phone.
fn checked(directory: &Path, figures: &[&str]) -> (String, Value) {
    checked_page(directory, "out/report.html", figures)
}

fn checked_page(directory: &Path, page: &str, figures: &[&str]) -> (String, Value) {
    let page = directory.join(page);
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.len() < MOST_BYTES, "{} bytes", html.len());
    let (_, console) = load(directory, &page);
    assert_eq!(console, "", "as a page of its own");
    let measured = measured(directory, &html);
    assert_eq!(measured.len(), WIDTHS.len());
    for (found, width) in measured.iter().zip(WIDTHS) {
        assert_eq!(found["width"], width);
        let scroll = found["scroll"].as_u64().unwrap();
        assert!(scroll <= u64::from(width), "{scroll} of {width}: {}", found["wide"]);
        assert_eq!(found["wide"], Value::Array(Vec::new()), "at {width}");
        assert_eq!(found["loaded"], 0, "the page loads nothing");
        let drawn = found["figures"].as_array().unwrap();
        for name in figures {
            assert!(drawn.iter().any(|figure| figure["name"] == *name), "no {name}");
        }
        for figure in drawn {
            let at_least = |key: &str, least: f64| {
                let value = figure[key].as_f64().unwrap();
                assert!(value >= least, "{key} at {width}: {figure}");
            };
            at_least("width", 200.0);
            at_least("height", 25.0);
            at_least("marks", 2.0);
            // Letters that one can read.
            at_least("text", 9.0);
            assert_eq!(figure["named"], true, "{figure}");
            assert_eq!(figure["outside"], Value::Array(Vec::new()), "{figure}");
        }
    }
    (html, measured[0].clone())
}

#[test]
fn the_default_with_all_its_figures() {
    let directory = &scratch("default");
    pual(directory, "synth cold-chain --rows 400 -o rows.csv");
    pual(directory, "train rows.csv -o fridge.pual --report out");
    let figures = ["scores", "map", "importance", "approaches", "grid-0", "sizes", "envelope"];
    let (html, found) = checked(directory, &figures);
    assert_eq!(found["sections"].as_array().unwrap().len(), html.matches("<h2>").count());
    assert!(html.contains("pual train rows.csv -o fridge.pual --report out"));
}

#[test]
fn one_model_with_many_features_and_warnings() {
    let directory = &scratch("wide");
    // Sixteen features, two of which matter, one that never changes, and names that would be markup.
    let mut csv = "label,unit".to_owned();
    (0..16).for_each(|at| write!(csv, ",<b>a rather long name for feature {at}&amp;</b>").unwrap());
    let mut state = 1u32;
    let mut uniform = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1 << 24)
    };
    for row in 0..240 {
        let positive = row % 3 == 0;
        write!(csv, "\n{},7", u8::from(positive && row % 2 == 0)).unwrap();
        for feature in 0..16 {
            let shift = if positive && feature < 2 { 1.5 } else { 0.0 };
            write!(csv, ",{:.4}", uniform() + shift).unwrap();
        }
    }
    std::fs::write(directory.join("rows.csv"), csv + "\n").unwrap();
    pual(directory, "train rows.csv -o m.pual --method gllc --repeats 1 --report out");
    let figures = ["scores", "map", "importance", "grid-0", "grid-2", "sizes", "envelope"];
    let (html, found) = checked(directory, &figures);
    assert_eq!(found["warnings"][0], "constant-column");
    assert!(html.contains("principal components"));
    assert!(!html.contains("<b>a rather"));
}

#[test]
fn many_rows_are_drawn_from_a_sample_that_is_named() {
    let directory = &scratch("many");
    pual(directory, "synth cold-chain --rows 12000 -o rows.csv");
    pual(directory, "train rows.csv -o m.pual --method bls-svm --no-tune --report out");
    let (html, _) = checked(directory, &["scores", "map", "importance", "sizes", "envelope"]);
    assert!(html.contains("Drawn from a sample of 10,000 of 12,000 rows."));
    assert!(html.contains("Nothing was searched for"));
}

#[test]
fn thresholds() {
    let directory = &scratch("thresholds");
    pual(directory, "synth cold-chain --rows 300 -o rows.csv");
    pual(directory, "synth cold-chain --rows 300 --seed 2 --truth-column truth -o checked.csv");
    pual(directory, "train rows.csv -o m.pual --method gllc --no-tune");
    // Close to each other, and far apart.
    for target in ["--recall 0.9", "--threshold -40", "--threshold 40"] {
        pual(directory, &format!("calibrate m.pual checked.csv {target} -o new.pual --report out"));
        let (html, found) = checked_page(directory, "out/calibration.html", &["tradeoff"]);
        assert_eq!(found["sections"].as_array().unwrap().len(), html.matches("<h2>").count());
    }
}

/// The checks themselves: a page that complains, sticks out, or draws nothing is noticed.
#[test]
fn a_broken_page_is_noticed() {
    let directory = &scratch("broken");
    let page = directory.join("page.html");
    let broken = "<!doctype html><body style=\"margin:0\"><p style=\"width:500px\">wide</p><svg id=\"empty\" viewBox=\"0 0 4 4\"></svg>\
                  <script>console.error('a complaint')</script>";
    std::fs::write(&page, broken).unwrap();
    let (_, console) = load(directory, &page);
    assert!(console.contains("a complaint"), "{console}");
    let quiet = broken.replace("console.error('a complaint')", "");
    let found = &measured(directory, &quiet)[0];
    assert_eq!(found["scroll"], 500);
    assert_eq!(found["wide"][0], "P wide");
    assert_eq!(found["figures"][0]["marks"], 0);
    assert_eq!(found["figures"][0]["named"], false);
}
