//! Fake `/sys` and `/proc` trees for tests.

use super::cpu_set::CpuSet;
use std::fs::{create_dir, create_dir_all, remove_dir_all, write};
use std::path::{Path, PathBuf};
use std::process;

/// A root folder, removed on drop.
pub struct Tree {
    root: PathBuf,
    cpus: CpuSet,
}

impl Tree {
    /// An empty system.
    pub fn empty() -> Self {
        let folder = |nth| std::env::temp_dir().join(format!("lento-numa-{}-{nth}", process::id()));
        // Other tests create theirs concurrently.
        let root = (0..10_000).map(folder).find(|folder| create_dir(folder).is_ok()).unwrap();
        Self { root, cpus: CpuSet::default() }
    }

    /// Online nodes with memory, one per CPU list; every CPU is a core.
    pub fn new(nodes: &[&str]) -> Self {
        let mut tree = Self::empty();
        for (number, list) in nodes.iter().enumerate() {
            let distances: Vec<&str> = (0..nodes.len()).map(|to| if to == number { "10" } else { "20" }).collect();
            tree = tree
                .file(&format!("sys/devices/system/node/node{number}/cpulist"), &format!("{list}\n"))
                .distances(number, &distances.join(" "));
            tree.cpus = tree.cpus.or(&CpuSet::of_system(list).unwrap());
        }
        let (all, cpus) = ((0..nodes.len()).collect::<CpuSet>().to_string(), tree.cpus.to_string());
        tree.file("sys/devices/system/node/online", &format!("{all}\n")).memory(&all).online(&cpus)
    }

    /// CPUs with numbers this far apart share a core.
    pub fn siblings(mut self, apart: usize) -> Self {
        for cpu in self.cpus.iter().collect::<Vec<_>>() {
            let both = format!("{},{}\n", cpu % apart, cpu % apart + apart);
            self = self.file(&format!("sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"), &both);
        }
        self
    }

    /// These CPU lists share a cache of this level.
    pub fn caches(mut self, level: usize, lists: &[&str]) -> Self {
        for list in lists {
            for cpu in CpuSet::of_system(list).unwrap().iter() {
                let folder = format!("sys/devices/system/cpu/cpu{cpu}/cache/index{}", level - 1);
                self = self.file(&format!("{folder}/level"), &format!("{level}\n"));
                self = self.file(&format!("{folder}/shared_cpu_list"), &format!("{list}\n"));
            }
        }
        self
    }

    /// Sets the online CPUs. Nodes still list all, unlike those of a real kernel.
    pub fn online(self, cpus: &str) -> Self {
        self.file("sys/devices/system/cpu/online", &format!("{cpus}\n"))
    }

    /// Sets the nodes with memory.
    pub fn memory(self, nodes: &str) -> Self {
        self.file("sys/devices/system/node/has_memory", &format!("{nodes}\n"))
    }

    /// Sets the distances from a node to all.
    pub fn distances(self, node: usize, distances: &str) -> Self {
        self.file(&format!("sys/devices/system/node/node{node}/distance"), &format!("{distances}\n"))
    }

    /// Adds a file.
    pub fn file(self, path: &str, content: &str) -> Self {
        let path = self.root.join(path);
        create_dir_all(path.parent().unwrap()).unwrap();
        write(path, content).unwrap();
        self
    }

    /// The root folder.
    pub fn root(&self) -> &Path {
        &self.root
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = remove_dir_all(&self.root);
    }
}
