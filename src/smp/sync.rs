//! Atomics and locks for the whole engine, replaced by the model checker's under `--cfg loom`.

#[cfg(not(loom))]
mod shipped {
    pub use parking_lot::{Condvar, Mutex, MutexGuard, RwLock, RwLockWriteGuard};
    pub use std::sync::Arc;
    pub use std::sync::atomic::*;

    /// Waits for a notification, releasing the lock meanwhile.
    pub fn wait<'a, T>(condvar: &Condvar, mut guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        condvar.wait(&mut guard);
        guard
    }
}

#[cfg(loom)]
mod modelled {
    pub use loom::sync::atomic::*;
    pub use loom::sync::{Arc, Condvar, MutexGuard, RwLockReadGuard, RwLockWriteGuard};

    /// Loom's mutex with the interface of `parking_lot`.
    #[derive(Debug)]
    pub struct Mutex<T>(loom::sync::Mutex<T>);

    impl<T> Mutex<T> {
        /// Creates an unlocked mutex.
        pub fn new(value: T) -> Self {
            Self(loom::sync::Mutex::new(value))
        }

        /// Locks, blocking.
        pub fn lock(&self) -> MutexGuard<'_, T> {
            self.0.lock().expect("no thread panics while it holds the lock")
        }
    }

    /// Loom's read-write lock with the interface of `parking_lot`.
    #[derive(Debug)]
    pub struct RwLock<T>(loom::sync::RwLock<T>);

    impl<T> RwLock<T> {
        /// Creates an unlocked lock.
        pub fn new(value: T) -> Self {
            Self(loom::sync::RwLock::new(value))
        }

        /// Locks for reading, blocking.
        pub fn read(&self) -> RwLockReadGuard<'_, T> {
            self.0.read().expect("no thread panics while it holds the lock")
        }

        /// Locks for writing, blocking.
        pub fn write(&self) -> RwLockWriteGuard<'_, T> {
            self.0.write().expect("no thread panics while it holds the lock")
        }
    }

    /// Waits for a notification, releasing the lock meanwhile.
    pub fn wait<'a, T>(condvar: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        condvar.wait(guard).expect("no thread panics while it holds the lock")
    }
}

#[cfg(loom)]
pub use modelled::*;
#[cfg(not(loom))]
pub use shipped::*;
