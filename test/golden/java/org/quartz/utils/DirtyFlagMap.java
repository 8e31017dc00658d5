package org.quartz.utils;

import java.io.Serializable;
import java.util.*;

public class DirtyFlagMap implements Serializable {
  private static final long serialVersionUID = 1433884852607126222L;
  private boolean dirty = false;
  private Map<Object, Object> map = new HashMap<>();

  public Object get(Object key) { return map.get(key); }
  public Map<Object, Object> getWrappedMap() { return map; }
  public Object put(Object key, Object value) { dirty = true; return map.put(key, value); }
}
