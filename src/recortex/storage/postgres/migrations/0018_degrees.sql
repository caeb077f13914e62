-- How many memories are pointed at by so many active relations: the greatest degree is known without counting
-- all relations. It is derived; the row of degree 0 counts nothing and tells that it was made.
CREATE TABLE relation_degrees (
  workspace bigint NOT NULL,
  degree bigint NOT NULL,
  memories bigint NOT NULL,
  PRIMARY KEY (workspace, degree)
) /*by workspace*/;
