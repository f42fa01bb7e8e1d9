//! Files in which processes that are killed leave what they did.

use crate::faults::Ledger;
use picoflow::BoxError;
use std::{
    fs::{File, OpenOptions},
    io::Write,
    path::Path,
};

/// A file of lines that are there or not, never in part.
#[derive(Debug)]
pub struct Lines(File);

impl Lines {
    /// The file at this path, which need not be there.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(path: &Path) -> Result<Self, BoxError> {
        Ok(Self(OpenOptions::new().create(true).append(true).open(path)?))
    }

    /// Adds a line.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(&self, line: &str) -> Result<(), BoxError> {
        Ok((&self.0).write_all(format!("{line}\n").as_bytes())?)
    }
}

impl Ledger for Lines {
    fn note(&self, key: &str, effect: &str) -> Result<(), BoxError> {
        self.add(&format!("{key}\t{effect}"))
    }
}
