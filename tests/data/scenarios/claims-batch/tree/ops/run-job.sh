#!/bin/sh
# run-job.sh JOB BUSINESS_DATE
exec java -jar target/hollow-claims.jar --spring.batch.job.name="$1" "businessDate=$2"
