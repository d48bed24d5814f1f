<?php
// php.net's answers by php.net's rules, in PHP: what the service is compared with, byte by byte.
// Given {"current","old","overrides","qa","now"}. At a terminal it reads them from stdin and writes {path: text} as JSON,
// or, when "queries" are given too, [status, type, text] of the release index for each of them. Under php's own web server
// it takes them from the PHP file named by TABLES and answers the path that is asked for.

date_default_timezone_set('UTC');
$in = PHP_SAPI === 'cli' ? json_decode(stream_get_contents(STDIN), true, 512, JSON_THROW_ON_ERROR) : require getenv('TABLES');
// A major version without current releases is not in php.net's table.
$CURRENT = array_filter($in['current']);
$OLD = $in['old'];
krsort($CURRENT);
krsort($OLD);
$OVERRIDES = $in['overrides'];
$NOW = new DateTimeImmutable($in['now']);

function day(string $text): DateTimeImmutable {
    return (new DateTimeImmutable($text))->setTime(0, 0);
}

function branchName(string $version): string {
    return preg_replace('/^(\d+\.\d+).*$/', '$1', $version);
}

function firstRelease(string $branch): ?DateTimeImmutable {
    global $CURRENT, $OLD, $OVERRIDES;
    $major = (int) $branch;
    if (isset($OLD[$major]["$branch.0"])) {
        return day($OLD[$major]["$branch.0"]['date']);
    }
    if (isset($OVERRIDES[$branch])) {
        return isset($OVERRIDES[$branch]['date']) ? day($OVERRIDES[$branch]['date']) : null;
    }
    $file = $CURRENT[$major]["$branch.0"]['source'][0]['date'] ?? null;
    return $file === null ? null : day($file);
}

function activeEnd(string $branch): ?DateTimeImmutable {
    global $OVERRIDES;
    if (isset($OVERRIDES[$branch]['stable'])) {
        return day($OVERRIDES[$branch]['stable']);
    }
    $end = firstRelease($branch)?->add(new DateInterval('P2Y'));
    return $end !== null && version_compare($branch, '8.2', '>=') ? $end->setDate((int) $end->format('Y'), 12, 31) : $end;
}

function securityEnd(string $branch): ?DateTimeImmutable {
    global $CURRENT, $OLD, $OVERRIDES;
    $major = (int) $branch;
    if (isset($OVERRIDES[$branch]['security'])) {
        return day($OVERRIDES[$branch]['security']);
    }
    if (version_compare($branch, '5.3', '<')) {
        $of = array_filter(array_keys($OLD[$major] ?? []), fn ($version) => branchName($version) === $branch);
        usort($of, 'version_compare');
        if ($of) {
            return day($OLD[$major][end($of)]['date']);
        }
        $file = $CURRENT[$major]["$branch.0"]['source'][0]['date'] ?? null;
        return $file === null ? null : day($file);
    }
    $first = firstRelease($branch);
    if ($first === null) {
        return null;
    }
    if (version_compare($branch, '8.1', '<')) {
        return $first->add(new DateInterval('P3Y'));
    }
    $end = $first->add(new DateInterval('P4Y'));
    return $end->setDate((int) $end->format('Y'), 12, 31);
}

function state(string $branch): ?string {
    global $NOW;
    $first = firstRelease($branch);
    $active = activeEnd($branch);
    $security = securityEnd($branch);
    if (!$first || !$active || !$security) {
        return null;
    }
    return match (true) {
        $NOW >= $security => 'eol',
        $NOW >= $active => 'security',
        $NOW >= $first => 'stable',
        default => 'future',
    };
}

function life(string $branch): array {
    $text = fn (?DateTimeImmutable $date) => $date?->format(DATE_ATOM);
    return [
        'state' => state($branch),
        'initial_release' => $text(firstRelease($branch)),
        'active_support_end' => $text(activeEnd($branch)),
        'security_support_end' => $text(securityEnd($branch)),
    ];
}

// The highest version of every branch.
$latest = [];
foreach ([$CURRENT, $OLD] as $table) {
    foreach ($table as $releases) {
        foreach (array_keys($releases) as $version) {
            $branch = branchName($version);
            if (!isset($latest[$branch]) || version_compare($version, $latest[$branch], '>')) {
                $latest[$branch] = $version;
            }
        }
    }
}
uksort($latest, fn ($a, $b) => version_compare((string) $b, (string) $a));

function branches(): array {
    global $latest;
    $branches = [];
    foreach ($latest as $branch => $version) {
        $branches[] = ['branch' => (string) $branch, 'latest' => $version] + life((string) $branch);
    }
    return $branches;
}

function states(): array {
    global $latest;
    $states = [];
    foreach (array_keys($latest) as $branch) {
        $states[(int) $branch][$branch] = life((string) $branch);
    }
    return $states;
}

// Releases of a table whose security support has not ended; the list for people keeps them four weeks longer.
function supported(array $table, DateInterval $grace): array {
    global $NOW;
    $found = [];
    foreach ($table as $major => $releases) {
        foreach ($releases as $version => $release) {
            $end = securityEnd(branchName($version));
            if ($end !== null && $NOW < $end->add($grace)) {
                $found[$major][branchName($version)] = $release + ['version' => $version];
            }
        }
        if (isset($found[$major])) {
            uksort($found[$major], fn ($a, $b) => version_compare((string) $a, (string) $b));
        }
    }
    ksort($found);
    return $found;
}
// The index looks up a major version without current releases in the history.
$supported = array_map(fn ($of) => array_map('strval', array_keys($of)), supported($CURRENT + $OLD, new DateInterval('P0D')));

// Stored builds with everything that is derived from them.
$keyed = [];
$reported = [];
$ready = [];
foreach ($in['qa'] as $base => $slot) {
    $build = $slot['release'];
    if (!$slot['active']) {
        $keyed[$base] = $slot;
        continue;
    }
    $reported[] = "$base-dev";
    $name = $base . $build['type'] . $build['number'];
    if ($build['number'] > 0) {
        $reported[] = $name;
        if (($build['baseurl'] ?? '') !== '') {
            $build['version'] = $name;
            foreach (['bz2', 'gz', 'xz'] as $archive) {
                if (isset($build["sha256_$archive"])) {
                    $build['files'][$archive] = [
                        'sha256' => $build["sha256_$archive"],
                        'path' => "{$build['baseurl']}php-$name.tar.$archive",
                    ];
                }
            }
            if (!isset($build['files'])) {
                $build['enabled'] = false;
            }
        }
        $ready[$base] = $build;
    } else {
        $build['enabled'] = false;
    }
    $keyed[$base] = ['active' => true, 'release' => $build, 'dev_version' => "$base-dev"];
}
if ($reported) {
    $keyed['reported'] = $reported;
}
if ($ready) {
    $keyed['releases'] = $ready;
}

function index(array $query): array {
    global $CURRENT, $OLD, $supported;
    $tables = [];
    foreach ([$CURRENT, $OLD] as $table) {
        foreach ($table as $major => $releases) {
            $tables[$major] = ($tables[$major] ?? []) + $releases;
        }
    }
    krsort($tables);
    if (!isset($query['version'])) {
        $newest = [];
        foreach ($tables as $major => $releases) {
            $newest[$major] = reset($releases) + ['version' => key($releases), 'supported_versions' => $supported[$major] ?? []];
        }
        return $newest;
    }
    $numbers = fn (string $text) => array_map(intval(...), explode('.', $text));
    $wanted = $numbers($query['version']);
    $matches = array_filter(
        $tables[$wanted[0]] ?? [],
        fn ($candidate) => array_slice(array_pad($numbers($candidate), count($wanted), 0), 0, count($wanted)) === $wanted,
        ARRAY_FILTER_USE_KEY,
    );
    $max = (int) ($query['max'] ?? -1);
    $chosen = $max === -1 ? $matches : array_slice($matches, 0, max(0, $max), true);
    if (!$chosen) {
        return ['error' => 'Unknown version'];
    }
    if (isset($query['max'])) {
        return $chosen;
    }
    return reset($chosen) + ['supported_versions' => $supported[$wanted[0]] ?? [], 'version' => key($chosen)];
}

// Status, media type and body for a query string; of a page only the media type counts.
function indexAnswer(string $text): array {
    parse_str($text, $query);
    if (!isset($query['serialize']) && !isset($query['json'])) {
        return [200, 'text/html; charset=utf-8', null];
    }
    if (is_array($query['version'] ?? '')) {
        return [500, 'text/html; charset=utf-8', null];
    }
    // PHP itself adds the charset to text.
    return isset($query['serialize'])
        ? [200, 'text/plain;charset=UTF-8', serialize(index($query))]
        : [200, 'application/json', json_encode(index($query))];
}

if (isset($in['queries'])) {
    echo json_encode(array_map(indexAnswer(...), $in['queries']), JSON_THROW_ON_ERROR);
    exit;
}

$answers = [
    '/releases/branches.php' => fn () => json_encode(branches()),
    '/releases/states.php' => fn () => json_encode(states()),
    '/releases/active.php' => fn () => json_encode(supported($CURRENT, new DateInterval('P28D'))),
    '/pre-release-builds.php' => fn () => json_encode($keyed),
    '/pre-release-builds.php?format=serialize' => fn () => serialize($keyed),
    '/pre-release-builds.php?only=dev_versions' => fn () => json_encode($keyed['reported'] ?? null),
    '/pre-release-builds.php?only=dev_versions&format=serialize' => fn () => serialize($keyed['reported'] ?? null),
];
$questions = [[null, null], ['8', null], ['8.4', null], ['7.4.33', null], ['9', null], ['8', '100'], ['8', '-1'], ['7', '-1'],
    ['5', '-1'], ['4', '-1'], ['3', '-1'], ['5.2', '3'], ['8', '0'], ['8', 'x']];
foreach ($questions as [$version, $max]) {
    $query = ($version === null ? '' : "&version=$version") . ($max === null ? '' : "&max=$max");
    foreach (['json', 'serialize'] as $format) {
        $answers["/releases/index.php?$format$query"] = fn () => indexAnswer($format . $query)[2];
    }
}
if (PHP_SAPI === 'cli') {
    echo json_encode(array_map(fn ($answer) => $answer(), $answers), JSON_THROW_ON_ERROR);
} else {
    header('content-type: application/json; charset=UTF-8');
    echo $answers[$_SERVER['REQUEST_URI']]();
}
