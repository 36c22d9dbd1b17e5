import type { ConstellationOptions } from '@expert-relay/constellation';
import { afterAll, beforeAll } from '@jest/globals';
import { openProduct, type Product } from './open-product.ts';

/** A relay and a browser, opened before the file's tests and closed after them. */
export function useProduct(options: ConstellationOptions = {}): Product {
  let product: (Product & AsyncDisposable) | undefined;
  beforeAll(async () => {
    product = await openProduct(options);
  });
  afterAll(async () => await product?.[Symbol.asyncDispose]());

  const opened = (): Product => {
    if (!product)
      throw new Error('The product is open only while tests run. Use it inside of a test or a hook.');
    return product;
  };
  return {
    get relay() {
      return opened().relay;
    },
    get browser() {
      return opened().browser;
    },
    signIn: (user, contextOptions) => opened().signIn(user, contextOptions),
  };
}
