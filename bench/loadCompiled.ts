type Modules = {
  'app/chain/chainRuntime': typeof import('../packages/server/src/app/chain/chainRuntime.ts')
  'lib/logger': typeof import('../packages/server/src/lib/logger.ts')
  'lib/metrics': typeof import('../packages/server/src/lib/metrics.ts')
  'store/openStore': typeof import('../packages/server/src/store/openStore.ts')
  'store/privatePostgres': typeof import('../packages/server/src/store/postgres/privatePostgres.ts')
}

/**
 * Loads a module of the compiled service, with the types of its source: threads run compiled code
 * only.
 */
export async function loadCompiled<name extends keyof Modules>(name: name): Promise<Modules[name]> {
  return import(new URL(`../packages/server/dist/${name}.js`, import.meta.url).href)
}
