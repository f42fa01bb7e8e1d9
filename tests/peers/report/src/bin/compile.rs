//! Compile times in CPU seconds: what a tool costs, and what a clean build costs. `--quick` measures once, not three times.

use nix::sys::{
    resource::{UsageWho, getrusage},
    time::TimeVal,
};
use peers_generate::{Arguments, Router, arguments, floor, picoflow, poem, rig, rmcp};
use peers_report::{cargo, machine, median, number, print_head, print_line, root};
use std::{
    collections::BTreeSet,
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Crates with few and with many tools.
struct Contender {
    name: &'static str,
    package: &'static str,
    dependencies: String,
    /// How many tools the large crate has. The small one has [`FEW`].
    many: usize,
    source: fn(usize) -> String,
}

const FEW: usize = 10;

/// A crate that is empty but for its dependency.
struct Clean {
    name: &'static str,
    package: &'static str,
    dependency: String,
}

#[derive(Clone, Copy)]
enum Profile {
    Dev,
    Release,
}

fn main() -> Outcome<()> {
    let samples = if env::args().any(|argument| argument == "--quick") { 1 } else { 3 };
    let folder = root().join("target/compile");
    let workspace = folder.join("workspace");
    let contenders = contenders();
    let cleans = cleans();
    generate(&workspace, &contenders, &cleans)?;
    per_tool(&workspace, &contenders, samples)?;
    println!();
    clean(&workspace, &folder.join("clean"), &cleans, samples)?;
    println!(
        "\nMedians of {samples}, in CPU seconds of cargo and all that it starts. {}.",
        machine()
    );
    Ok(())
}

fn picoflow_dependency(settings: &str) -> String {
    let picoflow = root().join("../../picoflow");
    format!("picoflow = {{ path = {:?}, {settings} }}\n", picoflow.display().to_string())
}

fn contenders() -> Vec<Contender> {
    let both = "schemars = { version = \"1.2\", default-features = false, features = [\"derive\", \"std\"] }\n\
                serde = { version = \"1.0\", features = [\"derive\"] }\n";
    let macros = picoflow_dependency("default-features = false, features = [\"macros\"]");
    let picoflow = format!("{both}{macros}");
    let rmcp = format!("{both}{RMCP}");
    vec![
        Contender {
            name: "floor: a hand-written `match`",
            package: "floor",
            dependencies: format!("{both}serde_json = \"1.0\"\n"),
            many: 400,
            source: floor_source,
        },
        Contender {
            name: "picoflow, named parameters",
            package: "picoflow-named",
            dependencies: picoflow.clone(),
            many: 400,
            source: |count| picoflow_source(count, Arguments::Named),
        },
        Contender {
            name: "picoflow, one struct for all tools",
            package: "picoflow-shared",
            dependencies: picoflow.clone(),
            many: 400,
            source: |count| picoflow_source(count, Arguments::Shared),
        },
        Contender {
            name: "picoflow, a struct for each tool",
            package: "picoflow-own",
            dependencies: picoflow,
            many: 400,
            source: |count| picoflow_source(count, Arguments::Own),
        },
        Contender {
            name: "rmcp, one struct for all tools",
            package: "rmcp-shared",
            dependencies: rmcp.clone(),
            many: 400,
            source: |count| rmcp_source(count, Arguments::Shared),
        },
        Contender {
            name: "rmcp, a struct for each tool",
            package: "rmcp-own",
            dependencies: rmcp,
            many: 400,
            source: |count| rmcp_source(count, Arguments::Own),
        },
        Contender {
            name: "poem-mcpserver",
            package: "poem",
            dependencies: format!(
                "{both}poem-mcpserver = {{ version = \"0.3\", default-features = false }}\nserde_json = \"1.0\"\n"
            ),
            many: 400,
            source: poem_source,
        },
        Contender {
            name: "rig",
            package: "rig",
            dependencies: format!(
                "{both}rig-agent = {{ version = \"0.44\", default-features = false }}\n\
                 rig-core = {{ version = \"0.44\", default-features = false }}\n\
                 rig-derive = \"0.44\"\nserde_json = \"1.0\"\n"
            ),
            many: 100,
            source: rig_source,
        },
    ]
}

const RMCP: &str = "rmcp = { version = \"3.11\", default-features = false, features = [\"server\", \"macros\"] }\n";

fn floor_source(count: usize) -> String {
    format!(
        "type Answer<'a> = std::pin::Pin<Box<dyn Future<Output = Result<i64, serde_json::Error>> + Send + 'a>>;\n\
         {}{}fn main() {{ drop(std::hint::black_box(call(\"add\", \"{{}}\"))); }}\n",
        arguments("AddArgs"),
        floor(count)
    )
}

fn picoflow_source(count: usize, kind: Arguments) -> String {
    format!(
        "use picoflow::prelude::*;\n{}{}fn main() {{ std::hint::black_box(NumbersFlow.steps()); }}\n",
        shared(kind),
        picoflow("Numbers", count, kind)
    )
}

fn rmcp_source(count: usize, kind: Arguments) -> String {
    format!(
        "{}{}fn main() {{ std::hint::black_box(Server::new()); }}\n",
        shared(kind),
        rmcp("Server", count, kind, Router::Kept)
    )
}

fn poem_source(count: usize) -> String {
    format!(
        "use poem_mcpserver::tool::Tools;\n{}\
         fn main() {{ std::hint::black_box((Server::list(), Server.call(\"add\", serde_json::Value::Null))); }}\n",
        poem("Server", count)
    )
}

fn rig_source(count: usize) -> String {
    format!("{}fn main() {{ std::hint::black_box(set()); }}\n", rig(count))
}

fn shared(kind: Arguments) -> String {
    if kind == Arguments::Shared { arguments("AddArgs") } else { String::new() }
}

fn cleans() -> [Clean; 4] {
    [
        Clean {
            name: "picoflow, default features",
            package: "clean-picoflow",
            dependency: picoflow_dependency(""),
        },
        Clean {
            name: "picoflow, no default features but `macros`",
            package: "clean-picoflow-macros",
            dependency: picoflow_dependency("default-features = false, features = [\"macros\"]"),
        },
        Clean {
            name: "picoflow, no default features",
            package: "clean-picoflow-none",
            dependency: picoflow_dependency("default-features = false"),
        },
        Clean {
            name: "rmcp, `server` and `macros`",
            package: "clean-rmcp",
            dependency: RMCP.to_owned(),
        },
    ]
}

/// Writes all crates, with the versions that the table is measured with.
fn generate(workspace: &Path, contenders: &[Contender], cleans: &[Clean]) -> Outcome<()> {
    if workspace.exists() {
        fs::remove_dir_all(workspace)?;
    }
    fs::create_dir_all(workspace)?;
    fs::write(workspace.join("Cargo.toml"), "[workspace]\nresolver = \"3\"\nmembers = [\"*\"]\n")?;
    fs::copy(root().join("Cargo.lock"), workspace.join("Cargo.lock"))?;
    for contender in contenders {
        for count in [FEW, contender.many] {
            let package = contender.package(count);
            let source = (contender.source)(count);
            write_package(workspace, &package, &contender.dependencies, &source)?;
        }
    }
    for clean in cleans {
        write_package(workspace, clean.package, &clean.dependency, "fn main() {}\n")?;
    }
    Ok(())
}

fn write_package(workspace: &Path, name: &str, dependencies: &str, source: &str) -> Outcome<()> {
    let package = workspace.join(name);
    fs::create_dir_all(package.join("src"))?;
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n{dependencies}"
    );
    fs::write(package.join("Cargo.toml"), manifest)?;
    fs::write(package.join("src/main.rs"), source)?;
    Ok(())
}

impl Contender {
    fn package(&self, count: usize) -> String {
        format!("{}-{count}", self.package)
    }
}

/// Builds of the crates with the tools; their dependencies are there already.
fn per_tool(workspace: &Path, contenders: &[Contender], samples: usize) -> Outcome<()> {
    let target = workspace.with_file_name("target");
    let profiles = [Profile::Dev, Profile::Release];
    let mut taken = vec![[[Vec::new(), Vec::new()], [Vec::new(), Vec::new()]]; contenders.len()];
    for sample in 0..=samples {
        for (contender, taken) in contenders.iter().zip(&mut taken) {
            for (profile, taken) in profiles.into_iter().zip(taken) {
                for (count, taken) in [FEW, contender.many].into_iter().zip(taken) {
                    let package = contender.package(count);
                    // Cargo goes by the time of the last change.
                    let main = workspace.join(&package).join("src/main.rs");
                    fs::write(&main, fs::read(&main)?)?;
                    // The first time builds the dependencies, of which both crates have the same.
                    match sample {
                        0 if count != FEW => {}
                        0 => drop(build(workspace, &target, &package, profile)?),
                        _ => taken.push(build(workspace, &target, &package, profile)?),
                    }
                }
            }
        }
    }
    print_head(&["", "tools", "release, per tool", "dev, per tool", "release, all", "dev, all"]);
    for (contender, taken) in contenders.iter().zip(taken) {
        let [dev, release] = taken.map(|counts| counts.map(median));
        let more = f64::from(u16::try_from(contender.many - FEW)?);
        let per_tool =
            |[few, many]: [f64; 2]| format!("{} ms", number((many - few) / more * 1000.0));
        let all = |[few, many]: [f64; 2]| format!("{} s, {} s", number(few), number(many));
        print_line(&[
            contender.name.to_owned(),
            format!("{FEW}, {}", contender.many),
            per_tool(release),
            per_tool(dev),
            all(release),
            all(dev),
        ]);
    }
    Ok(())
}

/// Builds of an empty crate with all of its dependencies.
fn clean(workspace: &Path, target: &Path, cleans: &[Clean], samples: usize) -> Outcome<()> {
    let mut taken = vec![Vec::new(); cleans.len()];
    for _ in 0..samples {
        for (clean, taken) in cleans.iter().zip(&mut taken) {
            if target.exists() {
                fs::remove_dir_all(target)?;
            }
            taken.push(build(workspace, target, clean.package, Profile::Dev)?);
        }
    }
    print_head(&["", "clean dev build", "crates"]);
    for (clean, taken) in cleans.iter().zip(taken) {
        let crates = crates(workspace, clean.package)?;
        let taken = format!("{} s", number(median(taken)));
        print_line(&[clean.name, &taken, &crates.to_string()]);
    }
    Ok(())
}

/// The CPU seconds of building a package.
fn build(workspace: &Path, target: &Path, package: &str, profile: Profile) -> Outcome<f64> {
    let mut cargo = quiet(workspace, "build", package);
    cargo.arg("--target-dir").arg(target);
    // What was compiled before would be taken again.
    cargo.env("CARGO_INCREMENTAL", "0");
    if let Profile::Release = profile {
        cargo.arg("--release");
    }
    let before = of_children()?;
    if !cargo.status()?.success() {
        return Err(format!("`{package}` does not build").into());
    }
    Ok(of_children()? - before)
}

/// How many crates a package depends on, with those that run during the build.
fn crates(workspace: &Path, package: &str) -> Outcome<usize> {
    let mut cargo = quiet(workspace, "tree", package);
    cargo.args(["--edges", "normal,build", "--prefix", "none", "--format", "{p}"]);
    let tree = String::from_utf8(cargo.stderr(Stdio::inherit()).output()?.stdout)?;
    let name_and_version = |line: &str| {
        let words: Vec<_> = line.split_whitespace().take(2).collect();
        words.join(" ")
    };
    let mut crates: BTreeSet<_> = tree.lines().map(name_and_version).collect();
    crates.retain(|name| !name.is_empty() && !name.starts_with(&format!("{package} ")));
    Ok(crates.len())
}

fn quiet(workspace: &Path, command: &str, package: &str) -> Command {
    let mut cargo = cargo();
    let workspace: PathBuf = workspace.to_owned();
    cargo.current_dir(workspace).args([command, "--quiet", "--package", package]);
    cargo
}

/// The CPU seconds of all processes that this one has started and that have ended.
fn of_children() -> Outcome<f64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}

#[expect(clippy::cast_precision_loss, reason = "they are far below 2^52")]
fn seconds(time: TimeVal) -> f64 {
    time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6
}
