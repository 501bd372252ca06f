//! The atomics and locks of the engine, all from here: under `--cfg loom` those of the model checker take their place.

#[cfg(not(loom))]
mod shipped {
    pub use parking_lot::{Condvar, Mutex, MutexGuard, RwLock, RwLockWriteGuard};
    pub use std::sync::Arc;
    pub use std::sync::atomic::*;

    /// Lets go of the lock, sleeps until the condition variable is notified, and locks again.
    pub fn wait<'a, T>(condvar: &Condvar, mut guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        condvar.wait(&mut guard);
        guard
    }
}

#[cfg(loom)]
mod modelled {
    pub use loom::sync::atomic::*;
    pub use loom::sync::{Arc, Condvar, MutexGuard, RwLockReadGuard, RwLockWriteGuard};

    /// The model checker's mutex, with the interface of the shipped one.
    #[derive(Debug)]
    pub struct Mutex<T>(loom::sync::Mutex<T>);

    impl<T> Mutex<T> {
        /// A mutex that is not locked.
        pub fn new(value: T) -> Self {
            Self(loom::sync::Mutex::new(value))
        }

        /// Waits for the lock.
        pub fn lock(&self) -> MutexGuard<'_, T> {
            self.0.lock().expect("no thread panics while it holds the lock")
        }
    }

    /// The model checker's lock for many readers, with the interface of the shipped one.
    #[derive(Debug)]
    pub struct RwLock<T>(loom::sync::RwLock<T>);

    impl<T> RwLock<T> {
        /// A lock that nobody holds.
        pub fn new(value: T) -> Self {
            Self(loom::sync::RwLock::new(value))
        }

        /// Waits until nobody writes.
        pub fn read(&self) -> RwLockReadGuard<'_, T> {
            self.0.read().expect("no thread panics while it holds the lock")
        }

        /// Waits until nobody else holds the lock.
        pub fn write(&self) -> RwLockWriteGuard<'_, T> {
            self.0.write().expect("no thread panics while it holds the lock")
        }
    }

    /// Lets go of the lock, sleeps until the condition variable is notified, and locks again.
    pub fn wait<'a, T>(condvar: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        condvar.wait(guard).expect("no thread panics while it holds the lock")
    }
}

#[cfg(loom)]
pub use modelled::*;
#[cfg(not(loom))]
pub use shipped::*;
