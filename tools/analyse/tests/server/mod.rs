//! A temporary PostgreSQL server for a test, if installed.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

pub struct Server {
    /// The folder of `initdb` and `pg_ctl`.
    programs: PathBuf,
    /// Data, log and socket.
    folder: PathBuf,
}

/// The folder of the server's programs: the newest one of Debian, or in PATH.
fn programs() -> Option<PathBuf> {
    let debian = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = debian.map(|entry| entry.path().join("bin")).collect();
    folders.sort();
    let path = std::env::var_os("PATH").unwrap_or_default();
    folders.into_iter().rev().chain(std::env::split_paths(&path)).find(|folder| folder.join("initdb").exists())
}

impl Server {
    /// Starts a server; `None` with a message if not installed.
    pub fn start(name: &str) -> Option<Self> {
        let Some(programs) = programs() else {
            eprintln!("skipped: no initdb in PATH or /usr/lib/postgresql, so nothing is tested on PostgreSQL");
            return None;
        };
        let folder = std::env::temp_dir().join(format!("lento-pg-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let server = Self { programs, folder };
        let data = server.folder.to_str().expect("UTF-8").to_owned();
        let output = server.run("initdb", &["-D", &data, "-A", "trust", "-U", "lento", "--no-sync", "-E", "UTF8"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let rules = server.folder.join("pg_hba.conf");
        let text = fs::read_to_string(&rules).expect("readable");
        fs::write(&rules, format!("local all locked scram-sha-256\n{text}")).expect("writable");
        server.up();
        Some(server)
    }

    /// Runs one of its programs, as user postgres if this is root, which it refuses.
    fn run(&self, program: &str, args: &[&str]) -> Output {
        let mut command = Command::new(self.programs.join(program));
        if fs::metadata("/proc/self").is_ok_and(|of| std::os::unix::fs::MetadataExt::uid(&of) == 0) {
            command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(self.programs.join(program));
        }
        command.args(args).current_dir("/").stdin(Stdio::null()).output().expect("the program starts")
    }

    /// Starts it, with retries until the processes of a killed one have ended.
    pub fn up(&self) {
        let data = self.folder.to_str().expect("UTF-8");
        let options = format!("-k {data} -c listen_addresses='' -c fsync=off -c max_connections=100");
        for _ in 0..100 {
            let log = format!("{data}/log");
            if self.run("pg_ctl", &["-D", data, "-w", "-l", &log, "-o", &options, "start"]).status.success() {
                return;
            }
            sleep(Duration::from_millis(100));
        }
        panic!("{}", fs::read_to_string(self.folder.join("log")).unwrap_or_default());
    }

    /// Stops it without a checkpoint.
    pub fn stop(&self) {
        self.run("pg_ctl", &["-D", self.folder.to_str().expect("UTF-8"), "-m", "immediate", "stop"]);
    }

    /// Kills its main process.
    pub fn kill(&self) {
        let text = fs::read_to_string(self.folder.join("postmaster.pid")).unwrap_or_default();
        if let Some(process) = text.lines().next() {
            let _ = Command::new("kill").args(["-9", process]).status();
        }
    }

    /// Stops or kills it, and restarts it after a delay.
    pub fn restart(&self, rng: &mut fastrand::Rng) {
        if rng.bool() {
            self.stop()
        } else {
            self.kill()
        }
        sleep(Duration::from_millis(rng.u64(50..600)));
        self.up();
    }

    /// Creates a database and returns its URL.
    pub fn create(&self, name: &str) -> String {
        self.sql("postgres", &format!("CREATE DATABASE \"{name}\""));
        self.url("lento", name)
    }

    pub fn url(&self, user: &str, name: &str) -> String {
        format!("postgresql://{user}@/{name}?host={}", self.folder.display())
    }

    /// Runs a query and returns a line for each row.
    pub fn sql(&self, database: &str, query: &str) -> String {
        let host = self.folder.to_str().expect("UTF-8");
        let output = self.run("psql", &["-h", host, "-U", "lento", "-d", database, "-XAtc", query]);
        assert!(output.status.success(), "{query}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
        let _ = fs::remove_dir_all(&self.folder);
    }
}
