import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { CheckpointMessage } from './checkpointMain.ts'
import type { MakeCheckpoint } from './checkpoints.ts'
import { DevnetError } from './errors.ts'

/** Makes a checkpoint in a process of its own, which ends with it. */
export const forkCheckpoint: MakeCheckpoint = ({ signal, ...options }) =>
  new Promise((resolve, reject) => {
    const program = fileURLToPath(new URL('./checkpointMain.js', import.meta.url))
    const child = fork(program, [JSON.stringify(options)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const stop = () => child.kill('SIGKILL')
    signal.addEventListener('abort', stop)
    let told: CheckpointMessage = { message: 'its process ended early' }
    child.on('message', (message: CheckpointMessage) => {
      told = message
    })
    child.once('error', reject)
    child.once('exit', () => {
      signal.removeEventListener('abort', stop)
      if (signal.aborted) resolve(undefined)
      else if ('number' in told) resolve(told.number ?? undefined)
      else reject(new DevnetError('DEVNET_STATE_INCOMPLETE', told.message))
    })
  })
