<?php

declare(strict_types=1);

const TOLERANCE_SECONDS = 300;

/**
 * Whether a delivery is genuine and fresh.
 *
 * @param string $rawBody the bytes as they came: file_get_contents('php://input')
 * @param array<string, string> $headers as getallheaders() gives them
 * @param int $now unix seconds, as time() gives them
 */
function verify(string $rawBody, array $headers, string $secret, int $now): bool
{
    $headers = array_change_key_case($headers);
    $timestamp = $headers['svc-timestamp'] ?? '';
    if (!preg_match('/\A[0-9]{1,12}\z/', $timestamp)) {
        return false;
    }
    if (abs($now - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $expected = 'v1=' . hash_hmac('sha256', "$timestamp.$rawBody", $secret);
    foreach (explode(',', $headers['svc-signature'] ?? '') as $part) {
        if (hash_equals($expected, trim($part))) {
            return true;
        }
    }
    return false;
}
