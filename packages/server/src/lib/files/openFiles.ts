import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { AppError } from '../errors.ts'

// Node reads the modules of the program side by side: with fewer it fails before there is anything to say so.
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

/** How many files this process may have open; null when the system does not tell. */
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

/** To be called before the rest of the program is loaded. */
export function checkOpenFiles(openFilesMax: number | null): void {
  if (openFilesMax !== null && openFilesMax < loadFilesMin)
    throw new OpenFilesError({ openFilesMax, wanted: loadFilesMin })
}
