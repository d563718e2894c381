# Reads lines of two base64 words, pattern and text; prints 1 when the pattern is found, 0 when not, or "refused".
use strict; use warnings; use MIME::Base64; use Encode;
while (<STDIN>) {
    my ($pattern, $text) = map { decode("UTF-8", decode_base64($_)) } split;
    my $found = eval { $text =~ /$pattern/ ? 1 : 0 };
    print defined $found ? $found : "refused", "\n";
}
