// A process that starts the private server in the given directory and waits to be killed.
import { startPrivatePostgres } from '../../packages/server/src/store/postgres/privatePostgres.ts'
import { silentLogger } from './postgres.ts'

const server = await startPrivatePostgres({ dataDir: process.argv[2]!, logger: silentLogger })
process.stdout.write(`${JSON.stringify(server.connection)}\n`)
setInterval(() => undefined, 60_000)
