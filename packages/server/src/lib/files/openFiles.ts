import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { AppError } from '../errors.ts'

// Node loads the program's modules in parallel: with fewer files it fails before anything can
// report it.
const loadFilesMin = 512

export class OpenFilesError extends AppError {
  constructor({ openFilesMax, wanted }: { openFilesMax: number; wanted: number }) {
    super('OPEN_FILES_LIMIT', `The limit of open files is ${openFilesMax}, which is too low.`, {
      meta: [
        `Needed: at least ${wanted}`,
        'Raise it before the start: ulimit -n 65536, or LimitNOFILE= in a systemd unit.',
      ],
    })
  }
}

/** The limit of open files of this process; null if the system does not report it. */
export function readOpenFilesMax(): number | null {
  try {
    const text =
      process.platform === 'linux'
        ? /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
        : execFileSync('/bin/sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim()
    return Number.isSafeInteger(Number(text)) ? Number(text) : null
  } catch {
    return null
  }
}

/** Must be called before the rest of the program is loaded. */
export function checkOpenFiles(openFilesMax: number | null): void {
  if (openFilesMax !== null && openFilesMax < loadFilesMin)
    throw new OpenFilesError({ openFilesMax, wanted: loadFilesMin })
}
