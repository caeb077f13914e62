-- name: frequencies
SELECT word, /*rows*/ FROM /*words*/ WHERE /*own*/ word IN (SELECT value FROM json_each(?))

-- name: among
SELECT word, /*rows*/, 0 FROM /*words*/ WHERE /*own*/ word IN (SELECT value FROM json_each(?))
UNION ALL SELECT '', /*rows*/, length FROM /*totals*/ /*only own*/

-- name: beginning
SELECT word, /*rows*/ FROM /*words*/ WHERE /*own*/ word >= ? AND word < ? ORDER BY /*rows*/ DESC, word LIMIT ?

-- name: count_words
INSERT INTO /*words*/ (workspace, word, /*rows*/)
SELECT :workspace, w.word, w.count
FROM unnest(CAST(?1 AS text[]), CAST(?2 AS bigint[])) AS w (word, count) ORDER BY w.word
ON CONFLICT (workspace, word) DO UPDATE SET /*rows*/ = /*words*/./*rows*/ + excluded./*rows*/

-- name: forget_words
DELETE FROM /*words*/ WHERE /*own*/ word = ANY(CAST(? AS text[])) AND /*rows*/ <= 0

-- name: count_totals
INSERT INTO /*totals*/ (workspace, /*rows*/, length) VALUES (:workspace, ?, ?)
ON CONFLICT (workspace) DO UPDATE SET
  /*rows*/ = /*totals*/./*rows*/ + excluded./*rows*/, length = /*totals*/.length + excluded.length
