import type { AppError } from '../../lib/errors.ts'
import {
  CorruptStoreError,
  DiskFullError,
  PostgresRootError,
  PostgresStartError,
} from '../errors.ts'

const corruptWords =
  /could not locate a valid checkpoint|invalid checkpoint|not a valid data directory|incorrect checksum in control file|could not (open|read|find|load) .*(pg_control|pg_filenode\.map|PG_VERSION|database system)|invalid (data in file|primary checkpoint|page in block)|contains invalid data|could not find the database system|database files are incompatible|is missing or damaged/i

/** Finds in the server's last output why it does not run. */
export function serverFault(output: string, where: string, logFile: string): AppError {
  const detail = lastWords(output)
  if (/No space left on device|Disk quota exceeded/i.test(output))
    return new DiskFullError({ where })
  if (/unshare(?: failed)?:|must not be run as the root|"root" execution/.test(output))
    return new PostgresRootError({ detail })
  if (corruptWords.test(output)) return new CorruptStoreError({ where, detail })
  return new PostgresStartError({ detail, logFile })
}

function lastWords(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const telling = lines.filter((line) => /FATAL|PANIC|error/i.test(line))
  return (telling.at(-1) ?? lines.at(-1) ?? 'no output').trim()
}
