//! PostgreSQL.

use super::{Cause, Result, Row, Value};
use bytes::BytesMut;
use postgres::error::SqlState;
use postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use postgres::{Client, Config, NoTls, Statement};
use std::collections::HashMap;
use std::env;
use std::io;
use std::time::Duration;

/// Timeout of connections.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A connection with its prepared statements.
pub struct Server {
    client: Client,
    statements: HashMap<String, Statement>,
}

impl From<postgres::Error> for Cause {
    fn from(error: postgres::Error) -> Self {
        let text = format!("{}{}", describe(&error), advice(&error));
        let (is_disconnect, is_conflict) = (is_disconnect(&error), is_conflict(&error));
        Self { text, is_disconnect, is_conflict }
    }
}

impl Server {
    pub fn connect(url: &str) -> Result<Self, Cause> {
        let mut config: Config = url.parse()?;
        if config.get_password().is_none()
            && let Ok(password) = env::var("PGPASSWORD")
        {
            config.password(password);
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(TIMEOUT);
        }
        #[cfg(unix)]
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            config.host_path("/var/run/postgresql");
        }
        // Detects dead peers.
        config.keepalives_idle(TIMEOUT).keepalives_interval(TIMEOUT).keepalives_retries(3);
        config.tcp_user_timeout(TIMEOUT * 3).application_name("lento-analyse");
        Ok(Self { client: config.connect(NoTls)?, statements: HashMap::new() })
    }

    fn prepare(&mut self, sql: &str) -> Result<Statement, Cause> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(sql)?;
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    pub fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>, Cause> {
        let statement = self.prepare(sql)?;
        self.client.query(&statement, &parameters(values))?.iter().map(row).collect()
    }

    pub fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, Cause> {
        let statement = self.prepare(sql)?;
        Ok(self.client.execute(&statement, &parameters(values))?)
    }

    pub fn batch(&mut self, sql: &str) -> Result<(), Cause> {
        Ok(self.client.batch_execute(sql)?)
    }
}

fn parameters(values: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

/// Integers convert to any numeric column type.
impl ToSql for Value {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(number) if *ty == Type::INT4 => i32::try_from(*number)?.to_sql(ty, out),
            Self::Int(number) if *ty == Type::FLOAT8 => (*number as f64).to_sql(ty, out),
            Self::Int(number) if i64::accepts(ty) => number.to_sql(ty, out),
            Self::Real(number) if f64::accepts(ty) => number.to_sql(ty, out),
            Self::Text(text) if String::accepts(ty) => text.to_sql(ty, out),
            Self::Blob(bytes) if <Vec<u8>>::accepts(ty) => bytes.to_sql(ty, out),
            Self::List(list) if <Vec<Self>>::accepts(ty) => list.to_sql(ty, out),
            other => Err(format!("{other:?} is not of type {ty}").into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

fn row(row: &postgres::Row) -> Result<Row, Cause> {
    let value = |column: usize| -> Result<Value, Cause> {
        let ty = row.columns()[column].type_();
        Ok(match *ty {
            Type::INT8 => row.try_get::<_, Option<i64>>(column)?.into(),
            Type::INT4 => row.try_get::<_, Option<i32>>(column)?.into(),
            Type::BOOL => row.try_get::<_, Option<bool>>(column)?.into(),
            Type::FLOAT8 => row.try_get::<_, Option<f64>>(column)?.into(),
            Type::BYTEA => row.try_get::<_, Option<Vec<u8>>>(column)?.into(),
            Type::TEXT => row.try_get::<_, Option<String>>(column)?.into(),
            _ => return Err(format!("column {column}: unexpected type {ty}").into()),
        })
    };
    (0..row.len()).map(value).collect::<Result<_, Cause>>().map(Row)
}

/// The server's message, or the error of the connection with its causes.
fn describe(error: &postgres::Error) -> String {
    if let Some(refused) = error.as_db_error() {
        let detail = refused.detail().map_or_else(String::new, |detail| format!(" ({detail})"));
        return format!("{}{detail}", refused.message());
    }
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let part = error.to_string();
        if !text.contains(&part) {
            text += &format!(": {part}");
        }
        cause = error.source();
    }
    text
}

fn advice(error: &postgres::Error) -> &'static str {
    match error.code().map(SqlState::code) {
        Some("28P01" | "28000") => "; expected another user or password (see PGPASSWORD)",
        Some("3D000") => "; `createdb` makes one",
        Some("42501") => "; expected a user that may create and change tables there",
        Some("42P01") => "; expected the tables of Lento; were they removed?",
        Some("42P07") => "; it has tables of another program; expected a separate database",
        Some("53300") => "; each process needs two connections (see max_connections)",
        None if error.to_string().starts_with("invalid") => "; expected postgresql://USER@HOST/NAME",
        None if error.to_string().starts_with("error connecting") => "; expected a running server there",
        _ => "",
    }
}

fn is_disconnect(error: &postgres::Error) -> bool {
    let is_io = || std::error::Error::source(error).is_some_and(|cause| cause.is::<io::Error>());
    match error.code() {
        // Connection errors, a server that shuts down or starts, too many connections, a transaction that was idle for too long.
        Some(code) => ["08", "57P", "53300", "25P03"].iter().any(|start| code.code().starts_with(start)),
        None => error.is_closed() || is_io(),
    }
}

fn is_conflict(error: &postgres::Error) -> bool {
    let conflicts = [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED];
    error.code().is_some_and(|code| conflicts.contains(code))
}
