//! Tasks of other programs, which are searched for beside this one and then in `PATH`.

use lento_console::Done;
use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;

/// A task of another program.
#[derive(Debug)]
pub struct OtherTask {
    /// The name.
    pub name: &'static str,
    program: &'static str,
    about: &'static str,
}

const fn task(name: &'static str, program: &'static str, about: &'static str) -> OtherTask {
    OtherTask { name, program, about }
}

/// The task whose program takes its arguments without the name.
const ANALYSE: &str = "analyse";

const TASKS: [OtherTask; 19] = [
    task(ANALYSE, "lento-analyse", "Analyse positions and games of files, with a database and reports"),
    task("serve", "lento-analyse", "Serve analysis to other programs: queries as JSON lines"),
    task("connect", "lento-analyse", "Search on another machine: a UCI engine that forwards to a server"),
    task("tree", "lento-analyse", "Grow a tree of searched positions"),
    task("match", "lento-lab", "Play two configurations of the engine against each other"),
    task("factors", "lento-lab", "Measure many settings in the same games"),
    task("spsa", "lento-lab", "Tune search parameters by self-play"),
    task("epd", "lento-lab", "Solve test suites"),
    task("recipes", "lento-lab", "Compare recipes of late move reductions"),
    task("scaling", "lento-lab", "Measure thread scaling: nodes per second, time to depth, shared positions"),
    task("throughput", "lento-lab", "Measure nodes per second precisely, and disturbances"),
    task("latency", "lento-lab", "Measure response times over UCI"),
    task("datagen", "lento-train", "Generate training data by self-play"),
    task("data", "lento-train", "Inspect, filter, shuffle, convert and pack training data"),
    task("train", "lento-train", "Train a network"),
    task("gold", "lento-train", "Compare networks on a fixed set of positions"),
    task("wdl", "lento-train", "Fit the win-rate model to games"),
    task("completions", "lento-manual", "Write shell completions to standard output"),
    task("man", "lento-manual", "Write manual pages"),
];

/// The task of this name.
pub fn find(name: &OsStr) -> Option<&'static OtherTask> {
    TASKS.iter().find(|task| name == task.name || (name == "analyze" && task.name == ANALYSE))
}

/// The file of a program: beside this one, or in `PATH`.
pub fn locate(program: &str) -> Option<PathBuf> {
    let name = format!("{program}{}", env::consts::EXE_SUFFIX);
    let beside = env::current_exe().ok().map(|path| path.with_file_name(&name));
    let paths = env::var_os("PATH").unwrap_or_default();
    beside.into_iter().chain(env::split_paths(&paths).map(|folder| folder.join(&name))).find(|path| path.is_file())
}

/// The tasks of installed programs, for the help.
pub fn help() -> String {
    let line = |task: &OtherTask| format!("  {:<11}  {} ({})\n", task.name, task.about, task.program);
    let lines: String = TASKS.iter().filter(|task| task.is_installed()).map(line).collect();
    if lines.is_empty() { lines } else { format!("Tasks of other programs:\n{lines}\n") }
}

impl OtherTask {
    /// Whether the program is installed.
    pub fn is_installed(&self) -> bool {
        locate(self.program).is_some()
    }

    /// Runs the program with the arguments of the task, in place of this process where the system supports that.
    pub fn run<S: AsRef<OsStr>>(&self, args: &[S]) -> Done {
        let Self { name, program, .. } = self;
        let path = locate(program).ok_or_else(|| {
            format!(
                "`lento {name}` needs {program}, which is neither beside lento nor in PATH; \
                 `cargo build --release -p {program}` builds it"
            )
        })?;
        let mut command = Command::new(&path);
        if *name != ANALYSE {
            command.arg(name);
        }
        command.args(args);
        replace(command).map_err(|error| format!("{}: {error}", path.display()).into())
    }
}

#[cfg(unix)]
fn replace(mut command: Command) -> std::io::Result<std::process::ExitCode> {
    Err(std::os::unix::process::CommandExt::exec(&mut command))
}

/// Runs the command and returns its exit code.
#[cfg(not(unix))]
fn replace(mut command: Command) -> std::io::Result<std::process::ExitCode> {
    // The child also receives Ctrl-C, and handles it.
    let _ = ctrlc::set_handler(|| {});
    let code = command.status()?.code().unwrap_or(1);
    Ok(u8::try_from(code).map_or(std::process::ExitCode::FAILURE, Into::into))
}
