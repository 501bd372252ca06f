//! Requests to lichess.org and its broker.

use lento_console::notice::notice;
use lento_uci::words::quoted;
use reqwest::{Body, Client, Method, RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};
use std::error::Error;
use std::fmt;
use std::iter::successors;
use std::time::Duration;

/// Timeout of a request for work, which the broker answers within 10 seconds.
const POLL: Duration = Duration::from_secs(15);
/// Timeout of other requests.
const ANSWER: Duration = Duration::from_secs(20);
/// Delay after 429, as required by the API.
const TOO_MANY: Duration = Duration::from_secs(60);
/// Maximum length of quoted server messages in characters.
const MAX_TEXT: usize = 200;

/// A work item of the broker.
pub struct Work {
    pub id: String,
    pub fields: Value,
}

pub enum Failure {
    /// To be retried, after this delay if given.
    Passing(String, Option<Duration>),
    Final(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (Self::Passing(text, _) | Self::Final(text)) = self;
        f.write_str(text)
    }
}

impl From<reqwest::Error> for Failure {
    fn from(error: reqwest::Error) -> Self {
        // Reports the innermost cause, which does not contain the secret.
        let cause = successors(error.source(), |&cause| cause.source()).last();
        let text = cause.map_or_else(|| error.to_string(), ToString::to_string);
        let host = error.url().and_then(|url| url.host_str()).unwrap_or("the server").to_owned();
        Self::Passing(format!("{host}: {text}"), None)
    }
}

/// A client of both servers.
#[derive(Clone)]
pub struct Api {
    http: Client,
    token: String,
    url: String,
    engine_url: String,
}

impl Api {
    pub fn new(token: &str, url: &str, engine_url: &str) -> Result<Self, String> {
        // Brokers close idle connections, which would make the next request fail.
        let http = Client::builder()
            .pool_max_idle_per_host(0)
            .connect_timeout(Duration::from_secs(10))
            .user_agent(concat!("lento/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| error.to_string())?;
        let base = |url: &str| -> Result<String, String> {
            let parsed = reqwest::Url::parse(url).map_err(|error| format!("{}: {error}", quoted(url)))?;
            match parsed.scheme() {
                "http" | "https" => Ok(url.trim_end_matches('/').to_owned()),
                _ => Err(format!("{}: expected an address such as https://lichess.org", quoted(url))),
            }
        };
        Ok(Self { http, token: token.into(), url: base(url)?, engine_url: base(engine_url)? })
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}/api/external-engine{path}", self.url));
        request.bearer_auth(&self.token).timeout(ANSWER)
    }

    pub async fn list(&self) -> Result<Vec<Value>, Failure> {
        let response = checked(self.request(Method::GET, "").send().await?).await?;
        Ok(response.json().await?)
    }

    pub async fn remove(&self, id: &str) -> Result<(), Failure> {
        let plain = id.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
        if !plain || id.is_empty() {
            return Err(Failure::Final(format!("{} is not the id of an engine; see --lichess-list", quoted(id))));
        }
        checked(self.request(Method::DELETE, &format!("/{id}")).send().await?).await.map(drop)
    }

    /// Registers an engine. Replaces the one with this id, or one with the same name registered by Lento.
    pub async fn register(&self, known: Option<&str>, engine: &Value) -> Result<String, Failure> {
        let all = self.list().await?;
        let is = |other: &&Value| other["id"].as_str() == known;
        let same = |other: &&Value| other["name"] == engine["name"] && other["providerData"] == engine["providerData"];
        let own = all.iter().find(is);
        let other = all.iter().find(same).filter(|_| own.is_none());
        if other.is_some() {
            let name = &engine["name"];
            notice(format_args!(
                "lichess: replaces the engine {name}; a server that uses it needs another --lichess-name"
            ));
        }
        let earlier = own.or(other).and_then(|earlier| earlier["id"].as_str());
        let request = match earlier {
            Some(id) => self.request(Method::PUT, &format!("/{id}")),
            None => self.request(Method::POST, ""),
        };
        let registered: Value = checked(request.json(engine).send().await?).await?.json().await?;
        let missing = || Failure::Final("lichess: the registration has no id".into());
        registered["id"].as_str().map(str::to_owned).ok_or_else(missing)
    }

    /// Polls for work; `None` if there is none yet.
    pub async fn poll(&self, secret: &str) -> Result<Option<Work>, Failure> {
        let request = self.http.post(format!("{}/api/external-engine/work", self.engine_url)).timeout(POLL);
        let response = checked(request.json(&json!({ "providerSecret": secret })).send().await?).await?;
        if response.status() == StatusCode::NO_CONTENT {
            return Ok(None);
        }
        let text = response.text().await?;
        let work: Value = serde_json::from_str(&text).unwrap_or_default();
        match work["id"].as_str() {
            Some(id) => Ok(Some(Work { id: id.into(), fields: work["work"].clone() })),
            None => Err(Failure::Passing(format!("{} is not a work item", quoted(&text)), None)),
        }
    }

    /// Streams the output for a work item.
    pub async fn submit(&self, id: &str, lines: Body) -> Result<(), Failure> {
        let request = self.http.post(format!("{}/api/external-engine/work/{id}", self.engine_url));
        checked(request.header("content-type", "text/plain").body(lines).send().await?).await.map(drop)
    }
}

/// A response, unless it is an error.
async fn checked(response: Response) -> Result<Response, Failure> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let place = response.url().host_str().unwrap_or("the server").to_owned();
    let body: String = response.text().await.unwrap_or_default().chars().take(MAX_TEXT).collect();
    let message = if body.trim().is_empty() { String::new() } else { format!(", {}", quoted(body.trim())) };
    let text = format!("{place} answers {status}{message}");
    Err(match status {
        StatusCode::UNAUTHORIZED => Failure::Final(format!("{text}; the token is unknown or was revoked")),
        StatusCode::FORBIDDEN => {
            Failure::Final(format!("{text}; expected a token with the scopes engine:read and engine:write"))
        }
        StatusCode::TOO_MANY_REQUESTS => Failure::Passing(text, Some(TOO_MANY)),
        status if status.is_client_error() && status != StatusCode::REQUEST_TIMEOUT => Failure::Final(text),
        _ => Failure::Passing(text, None),
    })
}
