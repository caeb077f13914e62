-- name: rebuild
INSERT INTO /*index*/ (/*index*/) VALUES ('rebuild')

-- name: check
INSERT INTO /*index*/ (/*index*/, rank) VALUES ('integrity-check', 1)

-- name: optimize
INSERT INTO /*index*/ (/*index*/) VALUES ('optimize')

-- name: segments_lost
-- What FTS5's own check passes over: a segment (bits 37 and above of a page's id) whose pages cannot be found
-- by term.
SELECT count(*) FROM (SELECT DISTINCT id >> 37 AS segment FROM /*index*/_data WHERE id > 10)
WHERE segment NOT IN (SELECT segid FROM /*index*/_idx)

-- name: size
SELECT coalesce(sum(length(block)), 0) FROM /*index*/_data

-- name: segments
SELECT count(DISTINCT segid) FROM /*index*/_idx

-- name: merge
INSERT INTO /*index*/ (/*index*/, rank) VALUES ('merge', ?)
