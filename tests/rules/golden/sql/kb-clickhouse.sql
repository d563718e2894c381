CREATE TABLE IF NOT EXISTS kb_signatures (id String, title String, component String, severity String, anchor String, pattern String, fix String, url String) ENGINE = Memory;
TRUNCATE TABLE kb_signatures;
INSERT INTO kb_signatures VALUES
('kb1-aaaaaaaafd', 'Made failure 163: {{braces}} <b>&amp; "quotes" `ticks` %d $x', 'vllm', 'error', 'Config\' object has no attribute \'image_token_index\'', 'AttributeError: \'[A-Za-z_][0-9A-Za-z_]*Config\' object has no attribute \'image_token_index\'', 'Raise the limit to {{ 5 }} % & <more>. (config; worked in 5 of 6 tries)', 'https://kb.example/s/kb1-aaaaaaaafd/');
-- The lines of `log_lines` with their signatures. A pattern must be constant there, so each is spelt out.
CREATE OR REPLACE VIEW kb_find AS SELECT s.id, s.title, s.fix, s.url, l.line FROM (
  SELECT 'kb1-aaaaaaaafd' AS kb_id, line FROM log_lines WHERE position(line, 'Config\' object has no attribute \'image_token_index\'') > 0 AND match(line, 'AttributeError: \'[A-Za-z_][0-9A-Za-z_]*Config\' object has no attribute \'image_token_index\'')
) AS l
  JOIN kb_signatures AS s ON s.id = l.kb_id;
