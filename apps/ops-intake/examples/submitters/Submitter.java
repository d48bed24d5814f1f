import openapi.*; // generated
import java.io.*;
import java.net.URI;
import java.net.http.*;
import java.time.Duration;
import java.util.concurrent.*;

/**
 * Submits operations to ops-intake, each exactly once whatever fails. Keep each key with its order before you send it: after a
 * crash, the same line again is safe. The README of the examples says more.
 */
public class Submitter {
  private static final Duration GIVE_UP = Duration.ofMinutes(10);
  private static final long LONGEST_PAUSE_MS = 10_000;
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  record Outcome(String what, String answer) {}

  /** Sends the submission, or asks what became of it. */
  static HttpResponse<String> ask(URI url, String key, String body) throws Exception {
    var request = HttpRequest.newBuilder(url);
    var token = System.getenv("TOKEN");
    if (token != null && !token.isEmpty()) request.header("Authorization", "Bearer " + token);
    if (body != null) {
      request.header("Content-Type", "application/json").header("Idempotency-Key", key);
      request.POST(HttpRequest.BodyPublishers.ofString(body));
    }
    // The request's own timeout ends with the head of the answer.
    return CLIENT.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString()).get(10, TimeUnit.SECONDS);
  }

  /** What is in an answer; null when that is from a proxy, and says nothing. */
  static <T> T parse(Callable<T> answer) {
    try { return answer.call(); } catch (Exception notOurs) { return null; }
  }

  /** What became of the submission, and the answer that says so. */
  static Outcome submit(URI service, String key, String body) throws Exception {
    URI statusUrl = null;
    var givesUpAt = System.nanoTime() + GIVE_UP.toNanos();
    for (long pause = 100; System.nanoTime() < givesUpAt; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      long after = 0;
      try {
        var answer = statusUrl == null ? ask(service.resolve("/operations"), key, body) : ask(statusUrl, key, null);
        var status = answer.statusCode();
        var said = answer.body();
        var found = parse(() -> Converter.SubmissionOutcomeFromJsonString(said).getOutcome());
        var problem = parse(() -> Converter.ProblemFromJsonString(said));
        if (status == 202 || (status == 200 && found == SubmissionOutcomeOutcome.ACCEPTED)) return new Outcome("accepted", said);
        // A date or a longer time is from a proxy.
        after = answer.headers().firstValue("Retry-After").filter(text -> text.matches("\\d{1,3}")).map(Long::valueOf).orElse(0L) * 1_000;
        if (statusUrl != null && status == 404) statusUrl = null; // it is not in the log: send it again, with the same key
        // Not of this submission: an earlier attempt may have written it.
        else if (status == 401 || status == 403) return new Outcome("unknown", said);
        else if (statusUrl == null && status < 500 && after == 0 && status != 408 && status != 429) return new Outcome("rejected", said);
        else if (problem != null && problem.getOutcome() == ProblemOutcome.UNKNOWN && problem.getStatusURL() != null) {
          statusUrl = service.resolve(problem.getStatusURL());
        }
      } catch (ExecutionException | TimeoutException noAnswer) {
        // This says nothing of the submission. With the same key it is safe to send it again.
      }
      Thread.sleep(Math.max(after, ThreadLocalRandom.current().nextLong(pause / 2, pause)));
    }
    throw new IllegalStateException(key + ": not known; run this again with the same line");
  }

  public static void main(String[] arguments) throws Exception {
    var allAccepted = true;
    var input = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
    for (String line; (line = input.readLine()) != null; ) {
      var parts = line.split("\t", 2);
      var outcome = submit(URI.create(arguments[0]), parts[0], parts[1]);
      allAccepted = allAccepted && outcome.what().equals("accepted");
      System.out.println(String.join("\t", parts[0], outcome.what(), outcome.answer()));
    }
    System.exit(allAccepted ? 0 : 1);
  }
}
