//! As much of Markdown as the tests need: fenced blocks, code in lines, links and headings.

use std::path::{Path, PathBuf};

/// The repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A page of the repository.
pub struct Page {
    /// Its path below the root.
    pub path: String,
    pub text: String,
}

/// A fenced block.
pub struct Block {
    /// Line of its first line of content, counted from 1.
    pub line: usize,
    /// The words after the fence: the language, then ours.
    pub words: Vec<String>,
    pub text: String,
}

impl Block {
    pub fn language(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// The file that the reader is told to write, by `file=PATH`.
    pub fn file(&self) -> Option<&str> {
        self.words.iter().find_map(|word| word.strip_prefix("file="))
    }
}

impl Page {
    pub fn open(path: &str) -> Self {
        let text = std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        Self { path: path.to_owned(), text }
    }

    /// Every page of the repository, in order of their paths.
    pub fn all() -> Vec<Self> {
        let mut paths = Vec::new();
        find(&root(), "", &mut paths);
        paths.sort();
        paths.iter().map(|path| Self::open(path)).collect()
    }

    /// The directory that its links start from.
    pub fn directory(&self) -> PathBuf {
        let path = root().join(&self.path);
        path.parent().expect("a page lies in a directory").to_owned()
    }

    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut open: Option<Block> = None;
        for (number, line) in self.text.lines().enumerate() {
            match (line.strip_prefix("```"), open.take()) {
                (Some(words), None) => {
                    let words = words.split([' ', ',']).map(str::to_owned).collect();
                    open = Some(Block { line: number + 2, words, text: String::new() });
                }
                (Some(_), Some(block)) => blocks.push(block),
                (None, Some(mut block)) => {
                    block.text += line;
                    block.text.push('\n');
                    open = Some(block);
                }
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{}: a block is not closed", self.path);
        blocks
    }

    /// Lines outside of fenced blocks, with their numbers.
    pub fn prose(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut inside = false;
        self.text.lines().enumerate().filter_map(move |(number, line)| {
            let fence = line.starts_with("```");
            inside ^= fence;
            (!inside && !fence).then_some((number + 1, line))
        })
    }

    /// Prose between blank lines, with the number of its first line.
    fn paragraphs(&self) -> Vec<(usize, String)> {
        let mut paragraphs: Vec<(usize, String)> = Vec::new();
        let mut next = 0;
        for (number, line) in self.prose() {
            match paragraphs.last_mut() {
                Some((_, text)) if number == next => {
                    text.push('\n');
                    *text += line;
                }
                _ => paragraphs.push((number, line.to_owned())),
            }
            next = if line.is_empty() { 0 } else { number + 1 };
        }
        paragraphs
    }

    /// `code` in prose, with its line's number.
    pub fn code(&self) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        for (first, text) in self.paragraphs() {
            let mut line = first;
            for (part, text) in text.split('`').enumerate() {
                if part % 2 == 1 {
                    found.push((line, text.replace('\n', " ")));
                }
                line += text.matches('\n').count();
            }
        }
        found
    }

    /// Targets of `[text](target)`, with their paragraph's number. What looks like a link inside of code is none.
    pub fn links(&self) -> Vec<(usize, String)> {
        let mut links = Vec::new();
        for (number, text) in self.paragraphs() {
            let prose: Vec<&str> = text.split('`').step_by(2).collect();
            for rest in prose.join("code").split("](").skip(1) {
                let target = rest.split(')').next().unwrap_or_default();
                links.push((number, target.to_owned()));
            }
        }
        links
    }

    /// The anchors of its headings, as GitHub makes them.
    pub fn anchors(&self) -> Vec<String> {
        let headings = self.prose().filter(|(_, line)| line.starts_with('#'));
        headings.map(|(_, line)| anchor(line.trim_start_matches('#').trim())).collect()
    }
}

fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// Every `.md` file below, but for what is built or hidden.
fn find(root: &Path, below: &str, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(root.join(below)).expect("it can be listed") {
        let entry = entry.expect("it can be listed");
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
        let hidden = name.starts_with('.') && name != ".github";
        if entry.path().is_dir() {
            if !hidden && name != "target" && name != "node_modules" && name != "venv" {
                find(root, &path, found);
            }
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
}
