"""Exit code 0 if the PostgreSQL and the Redis named by the two arguments answer; empties that Redis database."""

import sys

import psycopg
import redis

try:
    psycopg.connect(f"{sys.argv[1]}/postgres", connect_timeout=3).close()
    redis.Redis.from_url(sys.argv[2], socket_connect_timeout=3).flushdb()
except (psycopg.Error, redis.RedisError) as error:
    sys.exit(str(error))
