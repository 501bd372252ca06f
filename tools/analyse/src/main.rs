//! The program `lento-analyse`.

#[cfg(target_arch = "x86_64")]
lento_console::instructions::check_at_start!();

fn main() -> std::process::ExitCode {
    lento_analyse::main()
}
