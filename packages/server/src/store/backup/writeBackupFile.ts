import { createGzip } from 'node:zlib'
import { type FileSizes, type WholeFileOptions, writeWholeFile } from '../wholeFile.ts'
import { BackupFileError, BackupFileExistsError, BackupStoppedError } from './errors.ts'

// Twice as fast as the default and a tenth larger, measured on stored markets.
const gzipLevel = 3

const faults: WholeFileOptions['faults'] = {
  exists: (path) => new BackupFileExistsError({ path }),
  failed: (path, cause) => new BackupFileError({ path, cause }),
  stopped: () => new BackupStoppedError({ work: 'backup' }),
}

/** Compresses content into a file that appears once it is complete. */
export function writeBackupFile(
  path: string,
  content: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<FileSizes> {
  const through = createGzip({ level: gzipLevel })
  return writeWholeFile(path, content, { signal, through, faults })
}
