import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'vite'

const compiled = (path: string) =>
  pathToFileURL(resolve(import.meta.dirname, '../../packages/server/dist', path)).href

/**
 * Writes a module that adds the fake kind to the compiled program, for preloading in each of its
 * threads. Returns the environment variables to start the program with.
 */
export async function preloadFakeKind(folder: string): Promise<NodeJS.ProcessEnv> {
  await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      ssr: resolve(import.meta.dirname, 'fakeKind.ts'),
      outDir: folder,
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: 'fakeKind.mjs' } },
    },
    ssr: { noExternal: true },
  })
  const register = join(folder, 'register.mjs')
  await writeFile(
    register,
    `import { ReorgDeepError } from '${compiled('chain/errors.js')}'
import { chainKinds } from '${compiled('kinds/chainKinds.js')}'
import { createFakeKind } from './fakeKind.mjs'
chainKinds.push(createFakeKind((facts) => new ReorgDeepError(facts)))
`,
  )
  return { NODE_OPTIONS: `--import=${pathToFileURL(register).href}` }
}
