import { printError } from './cli/terminal/output.ts'
import { checkOpenFiles, readOpenFilesMax } from './lib/files/openFiles.ts'
import { exitProcess } from './lib/shutdown.ts'

// A reader that went away (chaintape ... | head) is not a failure. A command that stops in order is
// asked to.
let isUnread = false
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') return
  isUnread = true
  if (!process.emit('SIGHUP', 'SIGHUP')) process.exit(0)
})
// Without a listener, a log line after the terminal was closed would end the process in the middle
// of its stop.
process.stderr.on('error', () => undefined)

const args = process.argv.slice(2)
const exitCode = await run()
// Exit once the output is written, even if a handle of a stopped part is still open.
process.stdout.write('', () => void exitProcess(exitCode))

async function run(): Promise<number> {
  try {
    checkOpenFiles(readOpenFilesMax())
  } catch (error) {
    printError(process.stderr, error, args.includes('--json'))
    return 1
  }
  // Only now: loading them takes more files than a low limit allows.
  const [{ runCli }, { processContext }] = await Promise.all([
    import('./cli/runCli.ts'),
    import('./cli/context.ts'),
  ])
  return await runCli(args, { ...processContext(), isUnread: () => isUnread })
}
