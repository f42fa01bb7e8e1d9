//! The file of a new database, for its owner alone.

use std::path::{Path, PathBuf};

/// Whether SQLite takes the name for a path.
pub(super) fn is_file(path: &Path) -> bool {
    let text = path.as_os_str().as_encoded_bytes();
    !text.is_empty() && text != b":memory:" && !text.starts_with(b"file:")
}

/// Makes the file, if it is not there, so that nobody but its owner can read it. SQLite gives the files beside it
/// (`-wal`, `-shm`) the same mode. A file that is there keeps its mode. What cannot be made here, SQLite tells with its own words.
#[cfg(unix)]
pub(super) fn create(path: &Path) {
    use std::{
        fs::OpenOptions,
        os::unix::fs::OpenOptionsExt,
        sync::{Mutex, PoisonError},
    };

    /// To close a file ends all locks that this process has on it, so nobody may open the database between the making and the
    /// closing of its file.
    static CREATING: Mutex<()> = Mutex::new(());

    let _creating = CREATING.lock().unwrap_or_else(PoisonError::into_inner);
    // The file that a link leads to is made too.
    if !path.exists() {
        drop(OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path));
    }
}

/// Elsewhere the directory says who may read it.
#[cfg(not(unix))]
pub(super) const fn create(_path: &Path) {}

/// A file that was opened, so that it can be told from one that took its name.
#[derive(Clone, Debug)]
pub(super) struct Opened {
    path: PathBuf,
    /// Its file system and its number there.
    #[cfg(unix)]
    number: (u64, u64),
}

impl Opened {
    #[cfg(unix)]
    pub(super) fn of(path: &Path) -> Option<Self> {
        let path = std::path::absolute(path).ok().filter(|_| is_file(path))?;
        let number = number(&path)?;
        Some(Self { path, number })
    }

    /// Elsewhere a file that is open cannot be removed.
    #[cfg(not(unix))]
    pub(super) const fn of(_path: &Path) -> Option<Self> {
        None
    }

    /// Whether the file still has its name.
    pub(super) fn is_there(&self) -> bool {
        #[cfg(unix)]
        return number(&self.path) == Some(self.number);
        #[cfg(not(unix))]
        self.path.exists()
    }
}

#[cfg(unix)]
fn number(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

#[cfg(all(test, unix))]
mod tests {
    use super::create;
    use std::{fs, os::unix::fs::PermissionsExt};

    #[test]
    fn only_a_new_file_gets_the_mode() {
        let directory =
            std::env::temp_dir().join(format!("picoflow-create-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let path = directory.join("new");
        create(&path);
        assert_eq!(mode(&path), 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        create(&path);
        assert_eq!(mode(&path), 0o640);
        let link = directory.join("link");
        std::os::unix::fs::symlink(directory.join("behind"), &link).unwrap();
        create(&link);
        assert_eq!(mode(&directory.join("behind")), 0o600);
        fs::remove_dir_all(directory).unwrap();
    }
}
