//! Claims: each process that grows a tree has a node of its own.

use super::{Done, Store};
use crate::database::{Run, remove_dead};
use crate::sql::values;
use std::time::Duration;

impl Store {
    /// Marks this process as working on the tree.
    pub fn begin_run(&self, lease: Duration) -> Done<()> {
        let mut connection = self.connection.borrow_mut();
        if connection.is_server() {
            remove_dead(&mut connection, None)?;
        }
        *self.run.borrow_mut() = Some(Run::begin(&mut connection, lease)?);
        Ok(())
    }

    pub fn claim(&self, node: i64) -> Done<u64> {
        let run = match &mut *self.run.borrow_mut() {
            Some(run) => Some(run.renew(&mut self.connection.borrow_mut())?),
            None => None,
        };
        self.execute("UPDATE node SET claim = $1 WHERE id = $2", &values![run, node])
    }

    /// Releases a node, unless another process has taken it over.
    pub fn release(&self, node: i64) -> Done<u64> {
        let run = self.run.borrow().as_ref().map(|run| run.id);
        self.execute("UPDATE node SET claim = NULL WHERE id = $1 AND claim = coalesce($2, claim)", &values![node, run])
    }

    /// Releases the nodes of runs that are over, and those of this one. Returns them.
    pub fn release_all(&self) -> Done<Vec<i64>> {
        let own = self.run.borrow().as_ref().map(|run| run.id);
        let is_file = self.location.file().is_some();
        if is_file {
            remove_dead(&mut self.connection.borrow_mut(), own)?;
        }
        let live = if is_file { "" } else { " AND expires > clock_timestamp()" };
        let sql = format!(
            "UPDATE node SET claim = NULL WHERE claim IS NOT NULL
                AND (claim = $1 OR NOT EXISTS (SELECT 1 FROM run WHERE run.id = node.claim{live})) RETURNING id"
        );
        self.all(&sql, &values![own], |row| row.get(0))
    }

    /// Whether other processes are searching.
    pub fn has_claims(&self) -> Done<bool> {
        Ok(self.one::<i64>("SELECT 1 FROM node WHERE claim IS NOT NULL LIMIT 1", &[])?.is_some())
    }

    /// Ends this run. Returns the nodes that it had claimed.
    pub fn release_own(&self) -> Done<Vec<i64>> {
        if let Some(run) = &*self.run.borrow() {
            run.end(&mut self.connection.borrow_mut())?;
        }
        self.release_all()
    }
}
