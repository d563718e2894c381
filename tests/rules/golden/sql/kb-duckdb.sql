CREATE OR REPLACE TABLE kb_signatures (id VARCHAR, title VARCHAR, component VARCHAR, severity VARCHAR, anchor VARCHAR, pattern VARCHAR, fix VARCHAR, url VARCHAR);
INSERT INTO kb_signatures VALUES
('kb1-aaaaaaaafd', 'Made failure 163: {{braces}} <b>&amp; "quotes" `ticks` %d $x', 'vllm', 'error', 'Config'' object has no attribute ''image_token_index''', 'AttributeError: ''[A-Za-z_][0-9A-Za-z_]*Config'' object has no attribute ''image_token_index''', 'Raise the limit to {{ 5 }} % & <more>. (config; worked in 5 of 6 tries)', 'https://kb.example/s/kb1-aaaaaaaafd/');
CREATE TABLE IF NOT EXISTS log_lines (line VARCHAR);
CREATE OR REPLACE VIEW kb_find AS SELECT s.id, s.title, s.fix, s.url, l.*
  FROM log_lines l JOIN kb_signatures s
  ON contains(l.line, s.anchor) AND regexp_matches(l.line, s.pattern);
