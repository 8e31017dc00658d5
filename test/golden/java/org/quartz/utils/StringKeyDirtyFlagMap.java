package org.quartz.utils;

public class StringKeyDirtyFlagMap extends DirtyFlagMap {
  private static final long serialVersionUID = -9076749120524952280L;
  private boolean allowsTransientData = false;
}
