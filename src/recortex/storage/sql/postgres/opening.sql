-- What is checked when a database is opened, on PostgreSQL alone.

-- name: foreign
SELECT 'trigger ' || t.tgname || ' on ' || c.relname FROM pg_trigger t
JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'recortex' AND NOT t.tgisinternal
UNION ALL SELECT 'rule ' || rulename || ' on ' || tablename FROM pg_rules WHERE schemaname = 'recortex'
UNION ALL SELECT 'view ' || viewname FROM pg_views WHERE schemaname = 'recortex'
ORDER BY 1
