/** The memory of one body or response. */
export interface Lease {
  /** Changes how many bytes it has. When all leases have too many, the oldest are evicted, perhaps this one. */
  resize(bytes: number): void;
  /** From now on it cannot be evicted. */
  pin(): void;
  close(): void;
}

export interface ByteBudget {
  readonly bytes: number;
  /** `evict` must close the lease. It is called at most once. */
  open(evict: () => void): Lease;
}

/** Memory for all clients together, of at most `total` bytes. A newcomer always gets some, if something is left to evict. */
export function createByteBudget(total: number): ByteBudget {
  /** The oldest first. */
  const evictable = new Set<() => void>();
  let bytes = 0;

  return {
    get bytes() {
      return bytes;
    },
    open(evict) {
      let ownBytes = 0;
      let isOpen = true;
      evictable.add(evict);

      function change(newBytes: number): void {
        bytes += newBytes - ownBytes;
        ownBytes = newBytes;
      }

      return {
        resize(newBytes) {
          if (!isOpen) return;
          change(newBytes);
          for (const oldest of evictable) {
            if (bytes <= total) return;
            evictable.delete(oldest);
            oldest();
          }
        },
        pin: () => void evictable.delete(evict),
        close() {
          isOpen = false;
          change(0);
          evictable.delete(evict);
        },
      };
    },
  };
}
