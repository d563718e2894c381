// Made by kb; do not edit.

rule kb1_aaaaaaaafd
{
  meta:
    id = "kb1-aaaaaaaafd"
    title = "Made failure 163: {{braces}} <b>&amp; \"quotes\" `ticks` %d $x"
    component = "vllm"
    severity = "error"
    fix = "Raise the limit to {{ 5 }} % & <more>. (config; worked in 5 of 6 tries)"
    runbook_url = "https://kb.example/s/kb1-aaaaaaaafd/"
  strings:
    $line = /AttributeError: '[A-Za-z_][0-9A-Za-z_]*Config' object has no attribute 'image_token_index'/
  condition:
    $line
}
