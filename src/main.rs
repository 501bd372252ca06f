//! The `lento` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(target_arch = "x86_64")]
    if let Some(missing) = missing_instructions() {
        eprintln!(
            "lento: this build needs a processor with {missing}; docs/building.md says how to build for this one"
        );
        return ExitCode::FAILURE;
    }
    lento::cli::main()
}

/// Instructions that the compiler was allowed to use and the CPU lacks. Asks the CPU: the standard library takes what the compiler
/// assumes for granted.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
fn missing_instructions() -> Option<&'static str> {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    let basic = __cpuid(1).ecx;
    let extended = if __cpuid(0).eax >= 7 { __cpuid_count(7, 0).ebx } else { 0 };
    let needs = [
        (cfg!(target_feature = "ssse3"), basic & 1 << 9, "SSSE3 (x86-64-v2)"),
        (cfg!(target_feature = "sse4.2"), basic & 1 << 20, "SSE4.2 (x86-64-v2)"),
        (cfg!(target_feature = "popcnt"), basic & 1 << 23, "POPCNT (x86-64-v2)"),
        (cfg!(target_feature = "avx2"), extended & 1 << 5, "AVX2 (x86-64-v3)"),
        (cfg!(target_feature = "bmi2"), extended & 1 << 8, "BMI2 (x86-64-v3)"),
        (cfg!(target_feature = "avx512f"), extended & 1 << 16, "AVX-512 (x86-64-v4)"),
        (cfg!(target_feature = "avx512bw"), extended & 1 << 30, "AVX-512BW (x86-64-v4)"),
    ];
    needs.into_iter().find(|&(needed, bit, _)| needed && bit == 0).map(|(_, _, name)| name)
}
