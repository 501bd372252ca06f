//! Registration and polling for work.

use super::super::{LAST_ANSWERS, Server};
use super::LichessArgs;
use super::api::{Api, Failure};
use super::job::Job;
use super::secret::Secret;
use lento_console::notice::notice;
use lento_console::progress::Progress;
use lento_console::units;
use serde_json::json;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// First and maximum delay after a failure.
const FIRST_DELAY: Duration = Duration::from_millis(500);
const MAX_DELAY: Duration = Duration::from_secs(10);
/// Update interval of the status line.
const STATUS: Duration = Duration::from_secs(1);

impl LichessArgs {
    fn api(&self) -> Result<Option<Api>, String> {
        let Some(file) = &self.lichess else { return Ok(None) };
        let token = super::super::admission::token_of(file)?;
        Api::new(&token, &self.lichess_url, &self.lichess_engine_url).map(Some)
    }

    /// Lists or removes registrations.
    pub async fn manage(&self) -> Result<(), String> {
        let Some(api) = self.api()? else { return Ok(()) };
        if let Some(id) = &self.lichess_remove {
            api.remove(id).await.map_err(|failure| failure.to_string())?;
            println!("{id} removed");
            return Ok(());
        }
        let engines = api.list().await.map_err(|failure| failure.to_string())?;
        for engine in &engines {
            let text = |field: &str| engine[field].as_str().unwrap_or_default().to_owned();
            println!("{}  {}, {} threads, {} MiB", text("id"), text("name"), engine["maxThreads"], engine["maxHash"]);
        }
        if engines.is_empty() {
            println!("no external engines");
        }
        Ok(())
    }

    /// Registers the engine, replacing an earlier registration, and handles work until the server ends. Fails only if the
    /// engine cannot be registered. `is_shared`: whether other clients use the engines.
    pub async fn provide(self, server: Arc<Server>, is_shared: bool) -> Result<(), String> {
        let (Some(file), Some(api)) = (&self.lichess, self.api()?) else { return Ok(()) };
        let path = self.lichess_secret.clone().unwrap_or_else(|| file.with_added_extension("secret"));
        let secret = Secret::open(path)?;
        let engine = json!({
            "name": self.lichess_name,
            "maxThreads": server.pool.threads.min(65_536),
            "maxHash": server.pool.hash_mib.min(1 << 20),
            "variants": ["chess"],
            "providerSecret": secret.secret,
            "providerData": "lento",
        });
        let mut failures = Failures::default();
        let id = loop {
            match api.register(secret.engine.as_deref(), &engine).await {
                Ok(id) => break id,
                Err(Failure::Final(text)) => return Err(text),
                Err(Failure::Passing(text, delay)) => sleep(failures.add(&text, delay)).await,
            }
        };
        failures.clear();
        secret.save(&id)?;
        notice(format_args!("lichess: {:?} is registered as {id}", self.lichess_name));
        handle_work(&server, &api, &secret.secret, &self.lichess_name, is_shared).await;
        Ok(())
    }
}

/// Consecutive failures, reported once.
#[derive(Default)]
struct Failures(u32);

impl Failures {
    /// The delay before the next attempt.
    fn add(&mut self, text: &str, delay: Option<Duration>) -> Duration {
        if self.0 == 0 {
            notice(format_args!("lichess: {text}; retrying"));
        }
        self.0 += 1;
        let backoff = FIRST_DELAY.mul_f64(1.5_f64.powi(self.0.min(10) as i32 - 1)).min(MAX_DELAY);
        // Jitter keeps clients from reconnecting all at once.
        let jitter = (RandomState::new().hash_one(self.0) % 1000) as f64 / 1000.0;
        delay.unwrap_or_else(|| backoff.mul_f64(0.75 + jitter / 2.0))
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.0) > 0 {
            notice("lichess: available again");
        }
    }
}

/// Handles work until the server ends. New work stops the current job.
async fn handle_work(server: &Arc<Server>, api: &Api, secret: &str, name: &str, is_shared: bool) {
    let mut stopped = server.stopped.clone();
    let (mut failures, mut job, mut line) = (Failures::default(), None::<Job>, Progress::start());
    let poll = async |delay| {
        sleep(delay).await;
        api.poll(secret).await
    };
    let mut polling = Box::pin(poll(Duration::ZERO));
    loop {
        show_status(&mut line, name, job.as_ref().map(|job| job.started));
        // Requests for work must not be dropped, since each work item is sent only once.
        let polled = tokio::select! {
            polled = &mut polling => polled,
            () = Job::over(job.as_mut()) => {
                job = None;
                continue;
            }
            () = sleep(STATUS) => continue,
            _ = stopped.wait_for(|stopped| *stopped) => break,
        };
        let mut delay = Duration::ZERO;
        match polled {
            Ok(work) => {
                failures.clear();
                if let Some(work) = work {
                    if let Some(old) = job.take() {
                        old.end(LAST_ANSWERS).await;
                    }
                    job = Some(Job::start(server, api, work, is_shared));
                }
            }
            Err(Failure::Passing(text, retry_after)) => delay = failures.add(&text, retry_after),
            Err(Failure::Final(text)) => delay = failures.add(&text, Some(MAX_DELAY)),
        }
        polling = Box::pin(poll(delay));
    }
    if let Some(job) = job {
        job.end(LAST_ANSWERS).await;
    }
}

/// Shows the status on a terminal and to a service manager.
fn show_status(line: &mut Progress, name: &str, since: Option<Instant>) {
    let doing =
        since.map_or_else(|| "waiting".into(), |since| format!("analysing for {}", units::time(since.elapsed())));
    let text = format!("lichess: {name}, {doing}");
    notify_service_manager(&text);
    line.line(|_| text);
}

/// Sets the status line of a systemd unit with `Type=notify` or `NotifyAccess=`.
#[cfg(unix)]
fn notify_service_manager(text: &str) {
    let Some(path) = std::env::var_os("NOTIFY_SOCKET") else { return };
    // Abstract names, which start with @, are not supported; nothing depends on this.
    if let Ok(socket) = std::os::unix::net::UnixDatagram::unbound() {
        let _ = socket.send_to(format!("STATUS={text}").as_bytes(), path);
    }
}

#[cfg(not(unix))]
fn notify_service_manager(_: &str) {}
