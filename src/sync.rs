//! Atomics, locks and channels of the engine. Under `--cfg loom` atomics and locks are those of the model checker.

pub(crate) use crossbeam::channel;
pub(crate) use crossbeam::sync::WaitGroup;
pub(crate) use crossbeam::utils::CachePadded;

#[cfg(not(loom))]
mod shipped {
    pub(crate) use parking_lot::{Condvar, Mutex, MutexGuard, RwLock, RwLockWriteGuard};
    pub(crate) use std::sync::atomic::*;

    /// Waits for a notification, releasing the lock meanwhile.
    pub(crate) fn wait<'a, T>(condvar: &Condvar, mut guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        condvar.wait(&mut guard);
        guard
    }

    /// Passes the lock to the longest-waiting thread, if any, and then acquires it again.
    pub(crate) fn yield_lock<T>(guard: &mut MutexGuard<T>) {
        MutexGuard::bump(guard);
    }
}

#[cfg(loom)]
mod modelled {
    pub use loom::sync::atomic::*;
    pub use loom::sync::{Condvar, MutexGuard, RwLockReadGuard, RwLockWriteGuard};

    const POISONED: &str = "a thread panicked while it held the lock";

    /// Loom's mutex with the interface of `parking_lot`.
    #[derive(Debug, Default)]
    pub struct Mutex<T>(loom::sync::Mutex<T>);

    impl<T> Mutex<T> {
        pub fn new(value: T) -> Self {
            Self(loom::sync::Mutex::new(value))
        }

        pub fn lock(&self) -> MutexGuard<'_, T> {
            self.0.lock().expect(POISONED)
        }
    }

    /// Loom's read-write lock with the interface of `parking_lot`.
    #[derive(Debug)]
    pub struct RwLock<T>(loom::sync::RwLock<T>);

    impl<T> RwLock<T> {
        pub fn new(value: T) -> Self {
            Self(loom::sync::RwLock::new(value))
        }

        pub fn read(&self) -> RwLockReadGuard<'_, T> {
            self.0.read().expect(POISONED)
        }

        pub fn write(&self) -> RwLockWriteGuard<'_, T> {
            self.0.write().expect(POISONED)
        }
    }

    pub fn wait<'a, T>(condvar: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        condvar.wait(guard).expect(POISONED)
    }

    /// Does nothing, as loom tries every order of threads anyway.
    pub fn yield_lock<T>(_: &mut MutexGuard<T>) {}
}

#[cfg(loom)]
pub use modelled::*;
#[cfg(not(loom))]
pub(crate) use shipped::*;
