// One database server for all files of a project; each takes databases of its own. Vitest starts and stops it.
import type { TestProject } from 'vitest/node'
import { startPrivatePostgres } from '../../packages/server/src/store/privatePostgres.ts'
import { createDataDir, removeDataDir, silentLogger, type TestConnection } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgres: TestConnection
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await createDataDir()
  const server = await startPrivatePostgres({ dataDir, logger: silentLogger })
  project.provide('postgres', server.connection)
  return async () => {
    await server.stop()
    await removeDataDir(dataDir)
  }
}
