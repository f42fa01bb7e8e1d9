//! The file of a new database, for its owner alone.

use std::path::Path;

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

    // Names that SQLite does not take for a path.
    let text = path.as_os_str().as_encoded_bytes();
    if text.is_empty() || text == b":memory:" || text.starts_with(b"file:") {
        return;
    }
    let _creating = CREATING.lock().unwrap_or_else(PoisonError::into_inner);
    drop(OpenOptions::new().write(true).create_new(true).mode(0o600).open(path));
}

/// Elsewhere the directory says who may read it.
#[cfg(not(unix))]
pub(super) const fn create(_path: &Path) {}

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
        fs::remove_dir_all(directory).unwrap();
    }
}
