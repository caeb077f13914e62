-- How many memories are pointed at by so many active relations: the greatest degree is known without counting
-- all relations. It is derived; the row of degree 0 counts nothing and tells that it was made.
CREATE TABLE relation_degrees (
  degree INTEGER PRIMARY KEY,
  memories INTEGER NOT NULL
);
