<?php
// Tells for each line, a text in hexadecimal, whether it is JSON (RFC 8259).
while (($line = fgets(STDIN)) !== false) {
    json_decode(hex2bin(trim($line)), true, 512);
    echo json_last_error() === JSON_ERROR_NONE ? 1 : 0, "\n";
}
