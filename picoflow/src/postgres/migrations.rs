//! The table, and how an older one is brought up to date.

use super::error::Fault;
use sqlx::{
    Connection, PgConnection, SqlSafeStr,
    migrate::{AppliedMigration, Migrate, MigrateError, Migration, MigrationType},
};

/// A table of its own, so that migrations of the program around it may live in the same schema.
const TABLE: &str = "picoflow_migrations";

/// The key of the lock that migrations are run under: `picoflow` in ASCII.
const LOCK: i64 = 0x7069_636f_666c_6f77;

/// All migrations, oldest first.
fn migrations() -> Vec<Migration> {
    let files = [(1, "session", include_str!("../../migrations/1_session.sql"))];
    let migration = |(version, name, sql): (_, &'static str, &'static str)| {
        Migration::new(version, name.into(), MigrationType::Simple, sql.into_sql_str(), false)
    };
    files.map(migration).into()
}

/// Runs what has not been run yet, in one transaction.
///
/// `Migrator::run` would do it one by one, under a lock that belongs to a connection, which a pooler between here and the
/// server may change.
pub(super) async fn run(connection: &mut PgConnection) -> Result<(), Fault> {
    let migrations = migrations();
    // A role that may not create anything can use a table that is there.
    if pending(&migrations, &applied(connection).await?)?.is_empty() {
        return Ok(());
    }
    let encoding: String =
        sqlx::query_scalar("SHOW server_encoding").fetch_one(&mut *connection).await?;
    if encoding != "UTF8" {
        return Err(Fault::Encoding(encoding));
    }
    let mut transaction = connection.begin().await?;
    // Of several processes that start at once, one goes on and the others find its work done.
    sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(LOCK).execute(&mut *transaction).await?;
    transaction.ensure_migrations_table(TABLE).await?;
    for migration in pending(&migrations, &applied(&mut transaction).await?)? {
        transaction.apply(TABLE, migration).await?;
    }
    transaction.commit().await?;
    Ok(())
}

async fn applied(connection: &mut PgConnection) -> Result<Vec<AppliedMigration>, Fault> {
    let exists = sqlx::query_scalar("SELECT to_regclass($1) IS NOT NULL").bind(TABLE);
    if exists.fetch_one(&mut *connection).await? {
        Ok(connection.list_applied_migrations(TABLE).await?)
    } else {
        Ok(Vec::new())
    }
}

/// The migrations that are still to be run.
fn pending<'m>(
    migrations: &'m [Migration],
    applied: &[AppliedMigration],
) -> Result<&'m [Migration], Fault> {
    for (number, applied) in applied.iter().enumerate() {
        match migrations.get(number) {
            Some(own) if own.version != applied.version || own.checksum != applied.checksum => {
                return Err(MigrateError::VersionMismatch(applied.version).into());
            }
            Some(_) => {}
            None => return Err(Fault::Newer(applied.version)),
        }
    }
    Ok(migrations.get(applied.len()..).unwrap_or_default())
}
