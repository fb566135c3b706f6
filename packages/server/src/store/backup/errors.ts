import { AppError } from '../../lib/errors.ts'

export class BackupNothingError extends AppError {
  constructor({ where }: { where: string }) {
    super('BACKUP_NOTHING', 'There is nothing to back up: nothing is stored there yet.', {
      meta: [`Where: ${where}`, 'Name the place with --data-dir, --database-url or --config.'],
    })
  }
}

export class BackupFileExistsError extends AppError {
  constructor({ path }: { path: string }) {
    super('BACKUP_FILE_EXISTS', 'A file of this name is there already, and it is left alone.', {
      meta: [`File: ${path}`],
    })
  }
}

/** Reading or writing the file itself failed: missing folder, permission, disk space. */
export class BackupFileError extends AppError {
  constructor({ path, cause }: { path: string; cause: NodeJS.ErrnoException }) {
    super('BACKUP_FILE', 'The backup file cannot be read or written.', {
      cause,
      meta: [`File: ${path}`, `Detail: ${cause.message}`],
    })
  }
}

export class BackupInvalidError extends AppError {
  constructor({ path }: { path: string }) {
    super('BACKUP_INVALID', 'This is not a backup of Chaintape.', {
      meta: [`File: ${path}`, 'A backup is written by: chaintape backup FILE'],
    })
  }
}

export class BackupDamagedError extends AppError {
  constructor({ path, detail, cause }: { path: string; detail: string; cause?: unknown }) {
    super('BACKUP_DAMAGED', 'The backup is damaged, and nothing of it was restored.', {
      cause,
      meta: [`File: ${path}`, `Detail: ${detail}`, 'Take another copy of it, or another backup.'],
    })
  }
}

/** A downgrade: the file's content may have a meaning that this version does not know. */
export class BackupTooNewError extends AppError {
  constructor(facts: {
    path: string
    what: 'schema' | 'backup format'
    found: number
    known: number
    version: string
  }) {
    const { path, what, found, known, version } = facts
    super('BACKUP_TOO_NEW', 'The backup was written by a newer version of this program.', {
      meta: [
        `File: ${path}`,
        `Written by: version ${version}, ${what} ${found}`,
        `Newest known here: ${what} ${known}`,
        'Restore it with that version or a newer one.',
      ],
    })
  }
}

export class BackupUnreleasedError extends AppError {
  constructor({ path }: { path: string }) {
    super('BACKUP_UNRELEASED', 'The backup was written by a version from before 1.0.0.', {
      meta: [
        `File: ${path}`,
        'Start without it, with an empty --data-dir or database: the market is read from the chain again.',
      ],
    })
  }
}

export class RestoreNotEmptyError extends AppError {
  constructor({ where, found }: { where: string; found: string }) {
    super('RESTORE_NOT_EMPTY', 'A backup is restored into an empty place only.', {
      meta: [
        `Where: ${where}`,
        `Found there: ${found}`,
        'Name another --data-dir or database, or move what is there away.',
      ],
    })
  }
}

export class RestoreServiceRunningError extends AppError {
  constructor({ where }: { where: string }) {
    super('RESTORE_SERVICE_RUNNING', 'A service is running where the backup should go.', {
      meta: [`Where: ${where}`, 'Name another --data-dir or database for the backup.'],
    })
  }
}

export class BackupStoppedError extends AppError {
  constructor({ work }: { work: 'backup' | 'restore' }) {
    const outcome = work === 'backup' ? 'No file was written.' : 'Nothing was restored.'
    super('BACKUP_STOPPED', `The ${work} was stopped. ${outcome}`, { retryable: true })
  }
}
