//! Submits operations to ops-intake, each exactly once whatever fails: cargo run --quiet -- http://localhost:3000 <submissions.tsv
//! Keep each key with its order before you send it: after a crash, the same line again is safe. The README of the examples says more.
#[allow(dead_code)]
mod openapi; // generated
use openapi::{Problem, ProblemOutcome::Unknown, SubmissionOutcome, SubmissionOutcomeOutcome::Accepted};
use std::io::BufRead;
use std::thread::sleep;
use std::time::{Duration, Instant};

const GIVE_UP: Duration = Duration::from_secs(600);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Sends the submission, or asks what became of it.
fn ask(agent: &ureq::Agent, url: &str, sent: Option<(&str, &str)>) -> Result<(u16, Duration, String), ureq::Error> {
    let mut request = ureq::http::Request::builder().uri(url);
    if let Some(token) = std::env::var("TOKEN").ok().filter(|token| !token.is_empty()) {
        request = request.header("Authorization", format!("Bearer {token}"));
    }
    let mut answer = match sent {
        Some((key, body)) => {
            let request = request.method("POST").header("Content-Type", "application/json");
            agent.run(request.header("Idempotency-Key", key).body(body)?)?
        }
        None => agent.run(request.body(())?)?,
    };
    let seconds = answer.headers().get("Retry-After").and_then(|value| value.to_str().ok()?.parse().ok());
    let after = Duration::from_secs(seconds.filter(|told| *told <= GIVE_UP.as_secs()).unwrap_or(0));
    Ok((answer.status().as_u16(), after, answer.body_mut().read_to_string()?))
}

/// What became of the submission, and the answer that says so.
fn submit(agent: &ureq::Agent, service: &str, key: &str, body: &str) -> (&'static str, String) {
    let mut status_url: Option<String> = None;
    let (began, mut pause) = (Instant::now(), Duration::from_millis(100));
    while began.elapsed() < GIVE_UP {
        let answer = match &status_url {
            Some(path) => ask(agent, &format!("{service}{path}"), None),
            None => ask(agent, &format!("{service}/operations"), Some((key, body))),
        };
        let mut after = Duration::ZERO;
        if let Ok((status, told, text)) = answer {
            after = told;
            // What is neither of them is from a proxy, and says nothing.
            let (found, said) = (serde_json::from_str(&text), serde_json::from_str(&text));
            let is_accepted = matches!(found, Ok(SubmissionOutcome { outcome: Accepted, .. }));
            match (&status_url, status, said) {
                (_, 200 | 202, _) if status == 202 || is_accepted => return ("accepted", text),
                (Some(_), 404, _) => status_url = None, // it is not in the log: send it again, with the same key
                (_, 401 | 403, _) => return ("unknown", text), // an earlier attempt may have written it
                (None, ..=499, _) if after.is_zero() && !matches!(status, 408 | 429) => return ("rejected", text),
                (_, _, Ok(Problem { outcome: Some(Unknown), status_url: path @ Some(_), .. })) => status_url = path,
                _ => {}
            }
        }
        // No answer says nothing of the submission. With the same key it is safe to send it again.
        sleep(after.max(pause));
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
    panic!("{key}: not known; run this again with the same line");
}

fn main() {
    let service = std::env::args().nth(1).expect("the address of the service");
    let config =
        ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(Duration::from_secs(10)));
    let agent: ureq::Agent = config.build().into();
    let mut all_accepted = true;
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("UTF-8");
        let (key, body) = line.split_once('\t').expect("a key, a tab and operations");
        let (outcome, text) = submit(&agent, &service, key, body);
        all_accepted &= outcome == "accepted";
        println!("{key}\t{outcome}\t{text}");
    }
    std::process::exit(i32::from(!all_accepted));
}
