"""The Content-Security-Policy of a page: nothing but this site's own files, and the theme's inline scripts by hash."""

from __future__ import annotations

import base64
import hashlib
import re

#: What `overrides/main.html` writes where the policy belongs.
PLACEHOLDER = "kb-policy-goes-here"

_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_NEXT = re.compile(r'<link rel="(?:next|prev)" href="[^"<>]*">\s*')
_FIXED = (
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
)


def policy(html: str) -> str:
    """The policy for a page whose inline scripts are those in `html`, which must not hold anything untrusted yet."""
    digests = {hashlib.sha256(script.encode("utf-8")).digest() for script in _INLINE.findall(html)}
    hashes = sorted(f"'sha256-{base64.b64encode(digest).decode('ascii')}'" for digest in digests)
    scripts = " ".join(("script-src 'self'", *hashes))
    return "; ".join(("default-src 'none'", scripts, *_FIXED))


def fill_policy(html: str) -> str:
    """`html` with its policy in place; a page without the placeholder (a theme of the user's) stays as it is.

    Which page comes next is taken out: Firefox fetches it unasked, and complains that the policy forbids it.
    """
    if PLACEHOLDER not in html:
        return html
    return _NEXT.sub("", html).replace(PLACEHOLDER, policy(html), 1)
