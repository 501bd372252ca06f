//! The registration, and the requests for work.

use super::super::Server;
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

/// First and longest pause after a failure.
const PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// Interval at which the status line is renewed.
const STATUS: Duration = Duration::from_secs(1);
/// Time for the last line of a search to reach the broker.
const LAST_WORD: Duration = Duration::from_secs(2);

impl LichessArgs {
    fn api(&self) -> Result<Option<Api>, String> {
        let Some(file) = &self.lichess else { return Ok(None) };
        let token = super::super::gate::token_of(file)?;
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

    /// Registers the engine, in place of what it registered before, and takes work until the server ends. Fails only if the
    /// engine cannot be registered. `is_shared` says whether other clients use the engines.
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
        let mut trouble = Trouble::default();
        let id = loop {
            match api.register(secret.engine.as_deref(), &engine).await {
                Ok(id) => break id,
                Err(Failure::Final(text)) => return Err(text),
                Err(Failure::Passing(text, pause)) => sleep(trouble.begins(&text, pause)).await,
            }
        };
        trouble.ends();
        secret.remember(&id)?;
        notice(format_args!("lichess: {:?} is registered as {id}", self.lichess_name));
        take_work(&server, &api, &secret.secret, &self.lichess_name, is_shared).await;
        Ok(())
    }
}

/// Failures in a row, which are told once.
#[derive(Default)]
struct Trouble(u32);

impl Trouble {
    /// The pause before the next attempt.
    fn begins(&mut self, text: &str, pause: Option<Duration>) -> Duration {
        if self.0 == 0 {
            notice(format_args!("lichess: {text}; trying again until it works"));
        }
        self.0 += 1;
        let growing = PAUSE.mul_f64(1.5_f64.powi(self.0.min(10) as i32 - 1)).min(LONGEST_PAUSE);
        // Servers that come back are not met by all clients at once.
        let jitter = (RandomState::new().hash_one(self.0) % 1000) as f64 / 1000.0;
        pause.unwrap_or_else(|| growing.mul_f64(0.75 + jitter / 2.0))
    }

    fn ends(&mut self) {
        if std::mem::take(&mut self.0) > 0 {
            notice("lichess: it works again");
        }
    }
}

/// Takes work until the server ends. New work ends what is being done.
async fn take_work(server: &Arc<Server>, api: &Api, secret: &str, name: &str, is_shared: bool) {
    let mut stopped = server.stopped.clone();
    let (mut trouble, mut job, mut line) = (Trouble::default(), None::<Job>, Progress::start());
    let poll = async |pause| {
        sleep(pause).await;
        api.poll(secret).await
    };
    let mut polling = Box::pin(poll(Duration::ZERO));
    loop {
        tell(&mut line, name, job.as_ref().map(|job| job.started));
        // A request for work is never dropped: what it would bring is handed out once.
        let polled = tokio::select! {
            polled = &mut polling => polled,
            () = Job::over(job.as_mut()) => {
                job = None;
                continue;
            }
            () = sleep(STATUS) => continue,
            _ = stopped.wait_for(|stopped| *stopped) => break,
        };
        let mut pause = Duration::ZERO;
        match polled {
            Ok(work) => {
                trouble.ends();
                if let Some(work) = work {
                    if let Some(old) = job.take() {
                        old.end(LAST_WORD).await;
                    }
                    job = Some(Job::start(server, api, work, is_shared));
                }
            }
            Err(Failure::Passing(text, least)) => pause = trouble.begins(&text, least),
            Err(Failure::Final(text)) => pause = trouble.begins(&text, Some(LONGEST_PAUSE)),
        }
        polling = Box::pin(poll(pause));
    }
    if let Some(job) = job {
        job.end(LAST_WORD).await;
    }
}

/// Shows what the engine does, on a terminal and for a service manager.
fn tell(line: &mut Progress, name: &str, since: Option<Instant>) {
    let doing =
        since.map_or_else(|| "waiting".into(), |since| format!("analysing for {}", units::time(since.elapsed())));
    let text = format!("lichess: {name}, {doing}");
    tell_service_manager(&text);
    line.line(|_| text);
}

/// Sets the status line of a systemd unit with `Type=notify` or `NotifyAccess=`.
#[cfg(unix)]
fn tell_service_manager(text: &str) {
    let Some(path) = std::env::var_os("NOTIFY_SOCKET") else { return };
    // A name that starts with @ is abstract and not supported here; nothing depends on it.
    if let Ok(socket) = std::os::unix::net::UnixDatagram::unbound() {
        let _ = socket.send_to(format!("STATUS={text}").as_bytes(), path);
    }
}

#[cfg(not(unix))]
fn tell_service_manager(_: &str) {}
