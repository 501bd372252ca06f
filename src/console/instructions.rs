//! Checks that the processor has the instructions that the compiler was allowed to use.

use std::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};

/// Checks the processor when the program is loaded, since with LTO even the standard library's startup code, which runs before
/// `main`, is compiled for the target's processor. For one use per program.
#[doc(hidden)]
#[macro_export]
macro_rules! __check_instructions_at_start {
    () => {
        #[used]
        // SAFETY: These sections hold pointers to functions that the system calls before `main`, on ELF in numerical order.
        #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
        #[cfg_attr(windows, unsafe(link_section = ".CRT$XCU"))]
        #[cfg_attr(not(any(target_vendor = "apple", windows)), unsafe(link_section = ".init_array.00000"))]
        static CHECK_INSTRUCTIONS: extern "C" fn() = $crate::instructions::check;
    };
}

pub use __check_instructions_at_start as check_at_start;

/// Checks the CPUID bit of each feature that the compiler was allowed to use.
macro_rules! require {
    ($($feature:literal: $register:ident $bit:literal, $name:literal;)*) => {
        $(
            if cfg!(target_feature = $feature) && $register & 1 << $bit == 0 {
                stop(concat!(
                    "lento: this build needs a processor with ", $name,
                    "; see docs/building.md to build for this one\n",
                ));
            }
        )*
    };
}

/// Exits with a message if the processor lacks instructions. Runs before the standard library starts and must not use the
/// instructions itself, so it tests single bits, which leaves nothing to vectorise. ADX, RDRAND, RDSEED and XSAVE are not checked,
/// as neither the compiler nor the libraries used here emit them.
#[inline(never)]
pub extern "C" fn check() {
    let (leaves, extended_leaves) = (__cpuid(0).eax, __cpuid(0x8000_0000).eax);
    let basic = __cpuid(1).ecx;
    let (mut ebx, mut ecx, mut edx, mut eax1, mut edx1) = (0, 0, 0, 0, 0);
    if leaves >= 7 {
        let found = __cpuid_count(7, 0);
        (ebx, ecx, edx) = (found.ebx, found.ecx, found.edx);
        if found.eax >= 1 {
            let found = __cpuid_count(7, 1);
            (eax1, edx1) = (found.eax, found.edx);
        }
    }
    let extended = if extended_leaves >= 0x8000_0001 { __cpuid(0x8000_0001).ecx } else { 0 };
    require! {
        "sse3": basic 0, "SSE3 (x86-64-v2)";
        "ssse3": basic 9, "SSSE3 (x86-64-v2)";
        "cmpxchg16b": basic 13, "CMPXCHG16B (x86-64-v2)";
        "sse4.1": basic 19, "SSE4.1 (x86-64-v2)";
        "sse4.2": basic 20, "SSE4.2 (x86-64-v2)";
        "popcnt": basic 23, "POPCNT (x86-64-v2)";
        "avx": basic 28, "AVX (x86-64-v3)";
        "avx2": ebx 5, "AVX2 (x86-64-v3)";
        "bmi1": ebx 3, "BMI1 (x86-64-v3)";
        "bmi2": ebx 8, "BMI2 (x86-64-v3)";
        "f16c": basic 29, "F16C (x86-64-v3)";
        "fma": basic 12, "FMA (x86-64-v3)";
        "lzcnt": extended 5, "LZCNT (x86-64-v3)";
        "movbe": basic 22, "MOVBE (x86-64-v3)";
        "avx512f": ebx 16, "AVX-512 (x86-64-v4)";
        "avx512bw": ebx 30, "AVX-512BW (x86-64-v4)";
        "avx512cd": ebx 28, "AVX-512CD (x86-64-v4)";
        "avx512dq": ebx 17, "AVX-512DQ (x86-64-v4)";
        "avx512vl": ebx 31, "AVX-512VL (x86-64-v4)";
        "aes": basic 25, "AES";
        "pclmulqdq": basic 1, "PCLMULQDQ";
        "sse4a": extended 6, "SSE4A";
        "tbm": extended 21, "TBM";
        "sha": ebx 29, "SHA";
        "gfni": ecx 8, "GFNI";
        "vaes": ecx 9, "VAES";
        "vpclmulqdq": ecx 10, "VPCLMULQDQ";
        "avx512ifma": ebx 21, "AVX-512 IFMA";
        "avx512vbmi": ecx 1, "AVX-512 VBMI";
        "avx512vbmi2": ecx 6, "AVX-512 VBMI2";
        "avx512vnni": ecx 11, "AVX-512 VNNI";
        "avx512bitalg": ecx 12, "AVX-512 BITALG";
        "avx512vpopcntdq": ecx 14, "AVX-512 VPOPCNTDQ";
        "avx512vp2intersect": edx 8, "AVX-512 VP2INTERSECT";
        "avx512fp16": edx 23, "AVX-512 FP16";
        "avx512bf16": eax1 5, "AVX-512 BF16";
        "sha512": eax1 0, "SHA-512";
        "sm3": eax1 1, "SM3";
        "sm4": eax1 2, "SM4";
        "avxvnni": eax1 4, "AVX-VNNI";
        "avxifma": eax1 23, "AVX-IFMA";
        "avxvnniint8": edx1 4, "AVX-VNNI-INT8";
        "avxneconvert": edx1 5, "AVX-NE-CONVERT";
        "avxvnniint16": edx1 10, "AVX-VNNI-INT16";
    }
    if cfg!(target_feature = "avx") {
        // SAFETY: The instruction is available if the system has enabled XSAVE (bit 27).
        let enabled = if basic & 1 << 27 == 0 { 0 } else { unsafe { _xgetbv(0) } };
        if enabled & 6 != 6 {
            stop("lento: this build needs AVX, which this processor has, but the operating system does not enable\n");
        }
        // macOS enables AVX-512 when it is first used.
        if cfg!(all(target_feature = "avx512f", not(target_vendor = "apple"))) && enabled & 0xe0 != 0xe0 {
            stop(
                "lento: this build needs AVX-512, which this processor has, but the operating system does not enable\n",
            );
        }
    }
}

/// Exits with a message. The C library is initialised, the standard library is not.
#[cold]
#[inline(never)]
fn stop(message: &'static str) -> ! {
    // SAFETY: The message is valid for its length, and neither function has further conditions.
    unsafe {
        libc::write(2, message.as_ptr().cast(), message.len() as _);
        libc::_exit(1)
    }
}
