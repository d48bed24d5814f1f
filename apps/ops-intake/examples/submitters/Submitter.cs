// Submits operations to ops-intake, each exactly once whatever fails: dotnet run http://localhost:3000 <submissions.tsv
// Keep each key with its order before you send it: after a crash, the same line again is safe. The README of the examples says more.
using System.Diagnostics;
using System.Net.Http.Headers;
using System.Text;
using QuickType; // generated

var giveUp = TimeSpan.FromMinutes(10);
var longestPause = TimeSpan.FromSeconds(10);
var service = new Uri(args[0]);
using var client = new HttpClient { Timeout = TimeSpan.FromSeconds(10) };
if (Environment.GetEnvironmentVariable("TOKEN") is { Length: > 0 } token)
    client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", token);

var allAccepted = true;
while (Console.ReadLine() is { } line)
{
    var parts = line.Split('\t', 2);
    var (outcome, answer) = await Submit(parts[0], parts[1]);
    allAccepted &= outcome == "accepted";
    Console.WriteLine($"{parts[0]}\t{outcome}\t{answer}");
}
return allAccepted ? 0 : 1;

// Sends the submission, or asks what became of it; null when there is no answer.
async Task<(int Status, TimeSpan After, string Text)?> Ask(Uri url, string? key = null, string? body = null)
{
    using var request = new HttpRequestMessage(body is null ? HttpMethod.Get : HttpMethod.Post, url);
    if (body is not null)
    {
        request.Content = new StringContent(body, Encoding.UTF8, "application/json");
        request.Headers.Add("Idempotency-Key", key);
    }
    try
    {
        using var answer = await client.SendAsync(request);
        var after = answer.Headers.RetryAfter?.Delta is { } told && told <= giveUp ? told : TimeSpan.Zero;
        return ((int)answer.StatusCode, after, await answer.Content.ReadAsStringAsync());
    }
    catch (Exception noAnswer) when (noAnswer is HttpRequestException or TaskCanceledException or IOException)
    {
        return null;
    }
}

// The answer; null when it is from a proxy, and says nothing.
T? Parse<T>(Func<string, T> fromJson, string text) where T : class
{
    try { return fromJson(text); } catch { return null; }
}

// What became of the submission, and the answer that says so.
async Task<(string Outcome, string Answer)> Submit(string key, string body)
{
    Uri? statusUrl = null;
    var began = Stopwatch.StartNew();
    for (var pause = TimeSpan.FromMilliseconds(100); began.Elapsed < giveUp; pause = pause * 2 < longestPause ? pause * 2 : longestPause)
    {
        var asked = statusUrl is null ? await Ask(new Uri(service, "/operations"), key, body) : await Ask(statusUrl);
        var wait = pause * (0.5 + Random.Shared.NextDouble() / 2);
        if (asked is { } answered)
        {
            var (status, after, text) = answered;
            var found = Parse(SubmissionOutcome.FromJson, text);
            var said = Parse(Problem.FromJson, text);
            if (status == 202 || (status == 200 && found?.Outcome == SubmissionOutcomeOutcome.Accepted)) return ("accepted", text);
            // It is not in the log: send it again, with the same key.
            if (statusUrl is not null && status == 404) statusUrl = null;
            // Not of this submission: an earlier attempt may have written it.
            else if (status is 401 or 403) return ("unknown", text);
            else if (statusUrl is null && status < 500 && after == TimeSpan.Zero && status is not (408 or 429)) return ("rejected", text);
            else if (said is { Outcome: ProblemOutcome.Unknown, StatusUrl: { } path }) statusUrl = new Uri(service, path);
            if (after > wait) wait = after;
        }
        // No answer says nothing of the submission. With the same key it is safe to send it again.
        await Task.Delay(wait);
    }
    throw new TimeoutException($"{key}: not known; run this again with the same line");
}
