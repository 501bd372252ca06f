//! TLS on a connection that is read and written by different threads.

use super::link::Encrypt;
use parking_lot::Mutex;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, crypto};
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;

/// State shared by both halves.
struct Tls {
    connection: Mutex<ClientConnection>,
    stream: TcpStream,
}

struct Half(Arc<Tls>);

/// TLS with this host. Trusts public authorities, or instead only the certificates in a file.
pub fn encryption(host: &str, ca_file: Option<&Path>) -> Result<Encrypt, String> {
    let mut roots = RootCertStore::empty();
    match ca_file {
        None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        Some(path) => {
            let wrong =
                |error: &dyn std::fmt::Display| format!("{}: {error}; expected PEM certificates", path.display());
            for certificate in CertificateDer::pem_file_iter(path).map_err(|error| wrong(&error))? {
                roots.add(certificate.map_err(|error| wrong(&error))?).map_err(|error| wrong(&error))?;
            }
            if roots.is_empty() {
                return Err(wrong(&"no certificate"));
            }
        }
    }
    let name = ServerName::try_from(host.to_owned())
        .map_err(|_| format!("{host:?} is not a host name; expected one for --tls"))?;
    let config = ClientConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let config = Arc::new(config);
    Ok(Box::new(move |stream| {
        let connection = ClientConnection::new(Arc::clone(&config), name.clone()).map_err(io::Error::other)?;
        let tls = Arc::new(Tls { connection: Mutex::new(connection), stream });
        Ok((Box::new(Half(Arc::clone(&tls))), Box::new(Half(tls))))
    }))
}

impl Tls {
    fn send(&self, connection: &mut ClientConnection) -> io::Result<()> {
        while connection.wants_write() {
            connection.write_tls(&mut &self.stream)?;
        }
        Ok(())
    }
}

impl Read for Half {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let tls = &*self.0;
        loop {
            match tls.connection.lock().reader().read(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                read => return read,
            }
            // Reads without holding the lock, which the writing half needs.
            let mut bytes = [0; 4096];
            let count = (&tls.stream).read(&mut bytes)?;
            let mut received = &bytes[..count];
            let mut connection = tls.connection.lock();
            loop {
                connection.read_tls(&mut received)?;
                let processed = connection.process_new_packets();
                // Sends an alert, if there was an error.
                let sent = tls.send(&mut connection);
                processed.map_err(io::Error::other)?;
                sent?;
                if received.is_empty() {
                    break;
                }
            }
        }
    }
}

impl Write for Half {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut connection = self.0.connection.lock();
        // Buffered until the end of the handshake.
        let count = connection.writer().write(bytes)?;
        self.0.send(&mut connection)?;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
